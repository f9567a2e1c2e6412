import { sql } from 'kysely'
import { RouterContextProvider } from 'react-router'
import { beforeAll, expect, test, vi } from 'vitest'
import { editComment } from '~/features/discussion/commenting.server.ts'
import { viewerContext } from '~/lib/context.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { picture } from '../../../tests/factories/pictures.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { storePicture } from './pictures.server.ts'
import { loader } from './routes/media.ts'

useDatabase()

const paths: Record<'project' | 'certificate', string> = { project: '', certificate: '' }
let mira: SignedIn
let bram: SignedIn
let moderator: SignedIn

beforeAll(async () => {
	mira = await makeMember('mira')
	bram = await makeMember('bram')
	moderator = await makeMember('keeper', 'moderator')
	for (const kind of ['project', 'certificate'] as const) {
		const { path } = await storePicture(mira, kind, new Blob([new Uint8Array(await picture('png'))]))
		paths[kind] = path
	}
	await sql`insert into profiles (user_id) values (${mira.id}) on conflict do nothing`.execute(db())
	await sql`insert into projects (user_id, project_title, project_image) values (${mira.id}, 'x', ${paths.project})`.execute(
		db(),
	)
	await sql`insert into certificates (user_id, certificate_title, certificate_image) values (${mira.id}, 'x', ${paths.certificate})`.execute(
		db(),
	)
})

async function statusFor(viewer: SignedIn | null, path: string): Promise<[number, string | null]> {
	const context = new RouterContextProvider()
	context.set(viewerContext, viewer)
	const answer = await loader({
		params: { '*': `${path}-320.webp` },
		context,
		request: new Request('http://site/media'),
	} as never)
	return [answer.status, answer.headers.get('Cache-Control')]
}

const given = [200, 'private, no-store']
const refused = [401, null]
const missing = [404, 'private, no-store']

/* For a visitor, another member, the owner and a moderator. */
const shown = Array(4).fill([200, 'public, max-age=31536000, s-maxage=3600, immutable'])
const hidden = [missing, missing, given, given]

async function storePostPicture(): Promise<string> {
	const { path } = await storePicture(mira, 'post', new Blob([new Uint8Array(await picture('png', 320, 200))]))
	return path
}

async function seenOf(path: string) {
	// Pictures that were shown are known for a minute.
	vi.setSystemTime(Date.now() + 61_000)
	const statuses = []
	for (const viewer of [null, bram, mira, moderator]) statuses.push(await statusFor(viewer, path))
	return statuses
}

test.each([
	['a page for members', sql`public_page = false`, [refused, refused], [given, given]],
	['a public page', sql`public_page = true`, [refused, refused], [given, given]],
	['a public page with projects', sql`public_sections = '{projects}'`, [given, refused], [given, given]],
	['a public page with both', sql`public_sections = '{projects,certificates}'`, [given, given], [given, given]],
	['a page with projects that only their owner sees', sql`only_me = '{projects}'`, [refused, given], [missing, given]],
	['a page that a moderator hid', sql`hidden_at = now()`, [refused, refused], [missing, missing]],
])('the pictures of %s have the visibility of its items', async (_what, change, forVisitors, forMembers) => {
	await sql`update profiles set ${change} where user_id = ${mira.id}`.execute(db())
	const seenBy = (viewer: SignedIn | null) =>
		Promise.all([paths.project, paths.certificate].map((path) => statusFor(viewer, path)))
	expect(await seenBy(null)).toEqual(forVisitors)
	expect(await seenBy(bram)).toEqual(forMembers)
	for (const viewer of [mira, moderator]) expect(await seenBy(viewer)).toEqual([given, given])
	expect(await statusFor(null, `projects/mira/${'0'.repeat(32)}`)).toEqual(refused)
})

test('a picture that is in no item yet is visible to its owner only', async () => {
	const { path } = await storePicture(mira, 'project', new Blob([new Uint8Array(await picture('png', 310, 200))]))
	expect([await statusFor(mira, path), await statusFor(bram, path), await statusFor(null, path)]).toEqual([
		...[given, missing, refused],
	])
})

test('a picture of a post is public while a published post or its history shows it, else for its owner and moderators', async () => {
	const path = await storePostPicture()
	const seen = () => seenOf(path)
	expect(await seen()).toEqual(hidden)
	const { id } = await makeQuestion(mira)
	expect(await seen()).toEqual(hidden)
	const comment = await makeComment(mira, id, `![it](/media/${path}-320.webp)`)
	expect(await seen()).toEqual(shown)
	await sql`update comments set status = 'hidden' where id = ${comment}`.execute(db())
	expect(await seen()).toEqual(hidden)
	await sql`update comments set status = 'published' where id = ${comment}`.execute(db())
	await editComment(mira, comment, { body: 'Without it.' })
	expect(await seen()).toEqual(shown)
	await sql`update comments set status = 'deleted' where id = ${comment}`.execute(db())
	expect(await seen()).toEqual(hidden)
	vi.useRealTimers()
})

test.each([
	['published', shown, shown],
	['merged', shown, shown],
	['pending', hidden, hidden],
	['hidden', hidden, hidden],
	['deleted', hidden, hidden],
	['deleted, but discussed', hidden, shown],
])('of a %s query, those see the pictures who see its text, or its comments', async (state, ofQuery, ofComment) => {
	const [inQuery, inComment] = [await storePostPicture(), await storePostPicture()]
	const { id } = await makeQuestion(mira, { description: `Look: ![it](/media/${inQuery}-320.webp)` })
	await makeComment(mira, id, `![it](/media/${inComment}-320.webp)`)
	if (state.endsWith('discussed')) await makeComment(bram, id)
	const [status = ''] = state.split(',')
	const into = status === 'merged' ? (await makeQuestion(mira)).id : null
	await sql`update questions set status = ${status}, merged_into = ${into}, status_by = ${mira.id} where id = ${id}`.execute(
		db(),
	)
	expect([await seenOf(inQuery), await seenOf(inComment)]).toEqual([ofQuery, ofComment])
	vi.useRealTimers()
})
