import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { countUnread } from '~/features/notifications/notifications.server.ts'
import { saveAcademics, savePersonal, saveSocial } from '~/features/profile-editor/editing.server.ts'
import { addCertificate, addProject } from '~/features/profile-editor/items.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeConversation } from '../factories/chat.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { filled, makePicture } from '../factories/profiles.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

/* Moderation of a profile, at every address of the built site that shows a part of it. */

useDatabase()

let site: MembersSite
let nora: SignedIn
let picture: string
let query: { id: number; url: string }
const cookies: Record<string, string> = { visitor: '' }

/** Occurs in all texts of the profile, and nowhere else. */
const mark = 'xylo'
const marked = <Fields extends Record<string, string>>(fields: Fields) =>
	Object.fromEntries(Object.entries(fields).map(([name]) => [name, `${mark} ${name}`])) as Fields

beforeAll(async () => {
	site = await startOnTestDatabase()
	for (const name of ['moderator', 'peer'])
		cookies[name] = (await logInMember(site, name, name === 'moderator' ? name : 'member')).cookie
	const owner = await logInMember(site, 'nora')
	nora = owner.member
	cookies.nora = owner.cookie
	picture = await makePicture(nora, 'profile')
	const { about, city, expertise_in } = marked(filled.personal)
	const personal = { about, city, expertise_in, phone: '+99 555 0100', skills: 'Xylophone', profile_url: picture }
	const shows = { fullName: 'Nora Finch', show_email: 'on', show_phone: 'on', listed: 'on', show_presence: 'on' }
	await savePersonal(nora, 'nora', { ...personal, ...shows, open_to: '', version: 1 })
	const { university_name, location, enrol_in_branch_name } = marked(filled.academics)
	await saveAcademics(nora, 'nora', {
		...filled.academics,
		university_name,
		location,
		enrol_in_branch_name,
		version: 1,
	})
	await saveSocial(nora, 'nora', { github: 'xylo', version: 1 })
	await addProject(nora, 'nora', { ...filled.project, project_title: 'xylo project', project_description: 'xylo' })
	await addCertificate(nora, 'nora', {
		...filled.certificate,
		certificate_title: 'xylo certificate',
		certificate_image: await makePicture(nora, 'certificate'),
	})
	query = await makeQuestion(nora)
	await makeComment(nora, query.id)
	await makeConversation(nora, (await memberOf('peer')) as SignedIn)
})

afterAll(() => site?.stop())

/** Address, and whether visitors see something there. */
const addresses: [path: string, open: boolean][] = [
	['/', true],
	['/find-dev', true],
	['/find-dev.data', true],
	['/find-dev?q=nora', true],
	['/find-dev?sort=active', true],
	['/suggest/developers?q=nora', true],
	['/search?q=nora', true],
	['/suggest/everything?q=nora', true],
	['/forum', true],
	['QUERY', true],
	['QUERY.data', true],
	['/api/v1/queries/ID', true],
	['/find-dev/nora', false],
	['/find-dev/nora.data', false],
	['/find-dev/nora.json', false],
	['/messages', false],
	['/messages/nora', false],
	['/messages/latest', false],
	['/api/v1/me/conversations', false],
]

async function read(path: string, who: string): Promise<string> {
	const address = path.replace('QUERY', query.url).replace('ID', String(query.id))
	const response = await site.ask(address, cookies[who] ?? '')
	return response.status === 200 ? response.text() : ''
}

/** Whether a response contains a text or the picture of the profile. */
const tells = (text: string) => text.toLowerCase().includes(mark) || text.includes(picture)

function judge(fields: Record<string, string>): Promise<Response> {
	return site.ask('/moderation/profile/nora', cookies.moderator ?? '', fields)
}

describe('a profile', () => {
	const ways = addresses.flatMap(([path, open]) =>
		(open ? ['visitor', 'peer'] : ['peer']).map((who) => [path, who] as const),
	)

	test.each(ways)('shows at %s something to a %s, unless it is hidden', async (path, who) => {
		expect(tells(await read(path, who))).toBe(true)
	})

	test.each([
		['members alone may read', { public_page: false, noindex: false }, 'noindex'],
		['anyone may find', { public_page: true, noindex: false }, null],
		['anyone may read, and nobody find', { public_page: true, noindex: true }, 'noindex'],
	])('that %s says so to search engines, as do its card and its feed', async (_what, fields, tag) => {
		await db().updateTable('profiles').set(fields).where('user_id', '=', nora.id).execute()
		const page = await site.ask('/find-dev/nora', (!fields.public_page && cookies.peer) || '')
		const html = await page.text()
		expect([page.status, page.headers.get('X-Robots-Tag')]).toEqual([200, tag])
		expect(html.includes('<meta name="robots" content="noindex, follow"')).toBe(tag !== null)
		for (const path of ['card.png', 'feed.atom']) {
			const { status, headers } = await site.ask(`/find-dev/nora/${path}`, '')
			expect([path, status, headers.get('X-Robots-Tag')]).toEqual([path, 200, 'noindex'])
		}
		await db()
			.updateTable('profiles')
			.set({ public_page: false, noindex: false })
			.where('user_id', '=', nora.id)
			.execute()
	})

	test('is hidden by a moderator, with a reason that its owner sees', async () => {
		await site.ask('/report/profile/nora', cookies.peer ?? '', { reason: 'abusive', details: '' })
		expect((await judge({ intent: 'hide', why: '' })).status).toBe(422)
		expect((await judge({ intent: 'hide', why: 'It insults.' })).status).toBe(303)
		expect((await judge({ intent: 'hide', why: 'Twice.' })).status).toBe(409)
		const { rows } = await sql`
			select (select closed_at is not null from cases where kind = 'profile' and target_id = ${nora.id}) as closed,
				(select array_agg(act || ': ' || why) from moderation_log where member_id = ${nora.id}) as log`.execute(db())
		expect(rows).toEqual([{ closed: true, log: ['hide: It insults.'] }])
		const notifications = await read('/notifications', 'nora')
		expect(notifications).toContain('hid the texts and the picture of your profile')
		expect(notifications).toContain('It insults.')
	})

	test('is opened by its notification, which is read then, and not by a prefetch', async () => {
		const [, link = ''] =
			/href="(\/(?:notifications\/\d+|find-dev\/nora)[^"]*)"/.exec(await read('/notifications', 'nora')) ?? []
		const visit = (who: string, headers = {}) =>
			fetch(site.url + link, { redirect: 'manual', headers: { Cookie: cookies[who] ?? '', ...headers } })
		const prefetched = await visit('nora', { 'X-Prefetch': '1' })
		expect(await countUnread(nora)).toBe(1)
		const opened = await visit('nora')
		expect(await countUnread(nora)).toBe(0)
		expect([prefetched, opened].map(({ headers }) => headers.get('Location'))).toEqual(Array(2).fill('/find-dev/nora'))
		// As one that was withdrawn meanwhile.
		expect((await visit('peer')).headers.get('Location')).toBe('/notifications')
	})

	test.each(ways)('that is hidden shows at %s nothing to a %s', async (path, who) => {
		expect(tells(await read(path, who))).toBe(false)
	})

	test('that is hidden is found only by its names, and not counted otherwise', async () => {
		expect(await read('/find-dev?q=nora', 'peer')).toContain('Nora Finch')
		expect(await read('/suggest/developers?q=xylophone', 'peer')).not.toContain('nora')
		expect(await read('/suggest/known-skills?q=xylo', 'peer')).not.toMatch(/xylophone/i)
		expect(await read('/find-dev?skill=Xylophone', 'peer')).not.toContain('Nora Finch')
		const cards = ['nora', 'nobody-at-all'].map(async (name) => {
			const answer = await site.ask(`/find-dev/${name}/card.png`, '')
			return answer.headers.get('ETag')
		})
		const [hers, anybodys] = await Promise.all(cards)
		expect(hers).toBe(anybodys)
	})

	test('that is hidden shows a notice to others, and the reason to its owner and moderators', async () => {
		const shown = await read('/find-dev/nora', 'peer')
		expect(shown).toContain('This profile’s texts are hidden.')
		expect(shown).not.toContain('It insults.')
		expect(shown).toContain('Nora Finch')
		for (const [path, who] of [
			['/find-dev/nora', 'moderator'],
			['/find-dev/nora', 'nora'],
			['/my-profile/nora', 'nora'],
			['/edit-profile/nora', 'nora'],
		] as const) {
			const text = await read(path, who)
			expect([path, who, tells(text), text.includes('It insults.')]).toEqual([path, who, true, true])
		}
		expect(await read('/my-profile/nora', 'nora')).toContain('others only see your name and username')
		expect(await read('/find-dev/nora.json', 'nora')).toContain(mark)
	})

	test('that is hidden can be edited by its owner and stays hidden, including the picture, which the sweep keeps', async () => {
		const other = await makePicture(nora, 'profile', 'another one')
		const { rows } = await sql<{ version: number }>`
			select personal_version as version from profiles where user_id = ${nora.id}`.execute(db())
		const fields = {
			fullName: 'Nora Finch',
			about: 'xylo again',
			profile_url: other,
			listed: 'on',
			show_presence: 'on',
		}
		const saved = await site.ask('/edit-profile/nora?index', cookies.nora ?? '', {
			...{ phone: '', city: '', expertise_in: '', skills: 'Xylophone', open_to: '' },
			...fields,
			version: String(rows[0]?.version),
		})
		expect(saved.status).toBe(303)
		for (const [path, open] of addresses) {
			const text = await read(path, open ? 'visitor' : 'peer')
			expect([path, tells(text) || text.includes(other)]).toEqual([path, false])
		}
		picture = other
		await sql`update pictures set created_at = now() - interval '2 days'`.execute(db())
		const { listUnusedPictures } = await import('~/features/pictures/pictures.queries.server.ts')
		expect(await listUnusedPictures(100)).not.toContain(other)
	})

	test('is shown again as its owner left it', async () => {
		expect((await judge({ intent: 'restore' })).status).toBe(303)
		expect((await judge({ intent: 'restore' })).status).toBe(409)
		for (const path of ['/find-dev', '/find-dev/nora', 'QUERY'])
			expect([path, tells(await read(path, 'peer'))]).toEqual([path, true])
		expect(await read('/find-dev?skill=Xylophone', 'peer')).toContain('Nora Finch')
		expect(await read('/notifications', 'nora')).toContain('restored your profile')
	})
})

describe('a section of a profile', () => {
	test('is removed with a reason, one at a time, until nothing is left', async () => {
		const parts = async () => {
			const answer = await fetch(`${site.url}/api/v1/moderation/profile/nora`, {
				headers: { Cookie: cookies.moderator ?? '' },
			})
			return ((await answer.json()) as { parts: { value: string; label: string }[] }).parts
		}
		const first = await parts()
		expect(first.map(({ label }) => label)).toEqual([
			...['Picture', 'Name', 'About me', 'Academics', 'Social links', 'Skills', 'Project', 'Certificate'],
		])
		expect((await judge({ intent: 'clean', why: 'x', part: 'passwords' })).status).toBe(422)
		expect((await judge({ intent: 'clean', why: '', part: 'about' })).status).toBe(422)
		for (const { value, label } of first) {
			expect((await judge({ intent: 'clean', why: `No ${label}.`, part: value })).status).toBe(303)
			expect((await judge({ intent: 'clean', why: 'Twice.', part: value })).status).toBe(422)
			expect(await parts()).not.toContainEqual(expect.objectContaining({ value }))
			expect(await read('/notifications', 'nora')).toContain(`No ${label}.`)
		}
		expect(await parts()).toEqual([])
		for (const path of ['/find-dev', '/find-dev/nora', 'QUERY']) {
			const text = await read(path, 'peer')
			expect([path, tells(text), text.includes('Nora Finch')]).toEqual([path, false, false])
		}
		const { rows } = await sql`
			select (select count(*)::int from moderation_log where act = 'clean') as logged,
				(select member_count from skills where name = 'Xylophone') as skilled`.execute(db())
		expect(rows).toEqual([{ logged: first.length, skilled: 0 }])
	})

	test('is not restored by a form that was open before', async () => {
		const form = { fullName: 'Back Again', about: 'xylo once more', profile_url: '', listed: 'on', show_presence: 'on' }
		const rest = { phone: '', city: '', expertise_in: '', skills: '', open_to: '', version: '2' }
		const answer = await site.ask('/edit-profile/nora?index', cookies.nora ?? '', { ...rest, ...form })
		expect(answer.status).toBe(409)
		expect(tells(await read('/find-dev/nora', 'peer'))).toBe(false)
	})

	test('of staff is removed by an admin only, and that of an admin by nobody', async () => {
		cookies.admin = (await logInMember(site, 'admin', 'admin')).cookie
		for (const [who, whose, status] of [
			['moderator', 'admin', 403],
			['moderator', 'moderator', 403],
			['admin', 'moderator', 303],
			['admin', 'admin', 403],
		] as const) {
			const fields = { intent: 'hide', why: 'A reason.' }
			const answer = await site.ask(`/moderation/profile/${whose}`, cookies[who] ?? '', fields)
			expect([who, whose, answer.status]).toEqual([who, whose, status])
		}
	})
})

async function memberOf(username: string): Promise<SignedIn | undefined> {
	const { rows } = await sql<SignedIn>`
		select id, username, name, image, role from users where username = ${username}`.execute(db())
	return rows[0]
}
