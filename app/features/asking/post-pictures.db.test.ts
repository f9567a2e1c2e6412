import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { editComment } from '~/features/discussion/commenting.server.ts'
import { sweepPictures } from '~/features/pictures/pictures.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { makePicture } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { editQuestion } from './asking.server.ts'
import { discardDraft, saveDraft } from './drafts.server.ts'

useDatabase()

let author: SignedIn
let members = 0
const rest = { title: 'What is in this picture?', tags: 'testing', category: 'others' }

beforeEach(async () => {
	members += 1
	author = await makeMember(`author${members}`)
})

test('a picture of a question is kept while its history can show it', async () => {
	const path = await oldPicture('in a query')
	const { id } = await makeQuestion(author, { description: shows(path) })
	expect(await isKept(path)).toBe(true)
	await editQuestion(author, id, { ...rest, description: 'Without it.' })
	await editQuestion(author, id, { ...rest, description: 'Without it still.' })
	expect([await isKept(path), await references(path)]).toEqual([true, 1])
	await db().deleteFrom('revisions').where('question_id', '=', id).execute()
	expect(await isKept(path)).toBe(false)
})

test('a picture of a comment is kept while its history can show it', async () => {
	const path = await oldPicture('in a comment')
	const { id } = await makeQuestion(author)
	const comment = await makeComment(author, id, shows(path))
	expect(await isKept(path)).toBe(true)
	await editComment(author, comment, { body: 'Without it.' })
	expect([await isKept(path), await references(path)]).toEqual([true, 1])
	await db().deleteFrom('revisions').where('comment_id', '=', comment).execute()
	expect(await isKept(path)).toBe(false)
})

test('a picture is kept while a draft shows it, also when that is published', async () => {
	const path = await oldPicture('in a draft')
	await saveDraft(author, { key: 'ask', ...rest, description: shows(path) })
	expect(await isKept(path)).toBe(true)
	await makeQuestion(author, { description: shows(path) })
	await discardDraft(author, 'ask')
	expect(await isKept(path)).toBe(true)
})

test('a picture is deleted with the last text that shows it', async () => {
	const path = await oldPicture('in two texts')
	const twice = `${shows(path)} ${shows(path)}`
	const { id } = await makeQuestion(author, { description: 'Another.' })
	for (const key of ['ask', `edit:${id}`]) await saveDraft(author, { key, ...rest, description: twice })
	expect(await references(path)).toBe(2)
	await discardDraft(author, 'ask')
	expect(await isKept(path)).toBe(true)
	await discardDraft(author, `edit:${id}`)
	expect(await isKept(path)).toBe(false)
})

test('an unused picture is kept for a day, while somebody may be writing', async () => {
	const path = await makePicture(author, 'post', 'fresh')
	await age(path, '23 hours')
	expect(await isKept(path)).toBe(true)
	await age(path, '25 hours')
	expect(await isKept(path)).toBe(false)
})

test.each([
	['of an upload that is not there', `/media/posts/nobody/${'0'.repeat(32)}-1280.webp`],
	['that is none', '/media/posts/../../auth-secret'],
	['of another site', 'https://elsewhere.example/cat.png'],
])('a text with the address %s is stored and refers to nothing', async (_what, address) => {
	const { id } = await makeQuestion(author, { description: `![x](${address})` })
	const { rows } = await sql`select 1 from post_pictures where question_id = ${id}`.execute(db())
	expect(rows).toEqual([])
})

test('concurrent with the sweep, texts are stored, and those that came first keep their picture', async () => {
	const paths = await Promise.all(Array.from({ length: 10 }, (_, index) => oldPicture(`raced ${index}`)))
	await Promise.all([
		sweepPictures(),
		...paths.map((path) => makeQuestion(author, { description: shows(path) })),
		sweepPictures(),
	])
	for (const path of paths) expect(await exists(path)).toBe((await references(path)) === 1)
})

test('an upload is shown by one account of its member only: their own, or a pseudonym', async () => {
	const [there = '', here = '', before = ''] = await Promise.all(['there', 'here', 'before'].map(upload))
	const named = await makeQuestion(author, { description: shows(there) })
	const edited = await makeQuestion(author, { description: shows(before) })
	await editQuestion(author, edited.id, { ...rest, description: 'Without it.' })
	const hidden = await makeQuestion(author, { pseudonym: 'on' })
	const comment = await makeComment(author, hidden.id, shows(here))
	for (const body of [shows(there), shows(before)]) {
		await expect(makeComment(author, hidden.id, body)).rejects.toThrow('under another of your names')
		await expect(editComment(author, comment, { body })).rejects.toThrow(Invalid)
		await expect(editQuestion(author, hidden.id, { ...rest, description: body })).rejects.toThrow(Invalid)
		await expect(makeQuestion(author, { description: body, pseudonym: 'on' })).rejects.toThrow(Invalid)
	}
	const body = shows(here)
	await expect(makeQuestion(author, { description: body })).rejects.toThrow('under another of your names')
	await expect(makeComment(author, named.id, body)).rejects.toThrow(Invalid)
	await editComment(author, comment, { body: `${body} again` })
	await makeComment(author, named.id, shows(there))
	await makeComment(await makeMember(`reader${members}`), named.id, body)
	const sentTwice = { ...rest, description: shows(await upload('sent twice')), pseudonym: 'on', key: randomUUID() }
	expect(await makeQuestion(author, sentTwice)).toEqual(await makeQuestion(author, sentTwice))
})

test('a text under a pseudonym shows no picture whose address has a former username of its author', async () => {
	const path = await makePicture(author, 'profile')
	const username = `${author.username}.now`
	await sql`update users set username = ${username} where id = ${author.id}`.execute(db())
	for (const address of [`/media/${path}`, `/media/x/../${path}`]) {
		const asked = makeQuestion({ ...author, username }, { description: `![me](${address}-224.webp)`, pseudonym: 'on' })
		await expect(asked).rejects.toThrow('contains your username')
	}
})

/** A picture of the author under an address that does not name them. */
function upload(content: string): Promise<string> {
	return makePicture({ ...author, username: '-' }, 'post', `${author.username} ${content}`)
}

function shows(path: string): string {
	return `Look: ![a picture](/media/${path}-1280.webp#640x452)`
}

async function oldPicture(content: string): Promise<string> {
	const path = await makePicture(author, 'post', content)
	await age(path, '2 days')
	return path
}

async function age(path: string, by: string): Promise<void> {
	await sql`update pictures set created_at = now() - ${by}::interval where path = ${path}`.execute(db())
}

async function isKept(path: string): Promise<boolean> {
	await sweepPictures()
	return exists(path)
}

async function exists(path: string): Promise<boolean> {
	const rows = await db().selectFrom('pictures').select('path').where('path', '=', path).execute()
	return rows.length > 0
}

async function references(path: string): Promise<number> {
	const rows = await db().selectFrom('post_pictures').select('path').where('path', '=', path).execute()
	return rows.length
}
