import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { saveAcademics, savePersonal } from '~/features/profile-editor/editing.server.ts'
import { addCertificate, addProject } from '~/features/profile-editor/items.server.ts'
import { previewImport } from '~/features/resume/import/import.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { picture } from '../factories/pictures.ts'
import { filled, makePicture } from '../factories/profiles.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, password, readRows, startOnTestDatabase } from '../support/members-site.ts'

/* Permissions of profiles, by every interface: pages, their `.data`, and forms. Pictures have a table of their own. */

useDatabase()

type Who = 'anonymous' | 'another member' | 'a suspended member' | 'a moderator' | 'the owner'

let site: MembersSite
let mira: SignedIn
let image: string
const cookies: Record<Who, string> = {
	anonymous: '',
	'another member': '',
	'a suspended member': '',
	'a moderator': '',
	'the owner': '',
}
const ids = { certificate: '', project: '' }

const secrets = ['+00 555 0142', 'mira@campus.example']

beforeAll(async () => {
	site = await startOnTestDatabase()
	const owner = await logInMember(site, 'mira')
	mira = owner.member
	cookies['the owner'] = owner.cookie
	cookies['another member'] = (await logInMember(site, 'bram')).cookie
	cookies['a suspended member'] = (await logInMember(site, 'tomas')).cookie
	await suspend('tomas', 'infinity')
	cookies['a moderator'] = (await logInMember(site, 'keeper', 'moderator')).cookie
	image = await makePicture(mira, 'certificate')
	await savePersonal(mira, 'mira', { ...filled.personal, show_email: '', version: 1 })
	await saveAcademics(mira, 'mira', { ...filled.academics, version: 1 })
	await addCertificate(mira, 'mira', { ...filled.certificate, certificate_image: image })
	await addProject(mira, 'mira', filled.project)
	ids.certificate = (await only('certificates')).certificate_id
	ids.project = (await only('projects')).project_id
})

afterAll(() => site?.stop())

const parts = ['', '/academics', '/experience', '/social-links', '/certificates', '/projects', '/change-password']

describe('reading', () => {
	const pages = [
		['/find-dev/mira', ['login', 'page', 'page', 'page']],
		['/my-profile/mira', ['login', '/find-dev/mira', '/find-dev/mira', 'page']],
		...parts.map((part) => [`/edit-profile/mira${part}`, ['login', '/find-dev/mira', '/find-dev/mira', 'page']]),
		['/edit-profile/mira/projects/github', ['login', '/find-dev/mira', '/find-dev/mira', 'page']],
		['/edit-profile/mira/import', ['login', '/find-dev/mira', '/find-dev/mira', 'page']],
		['/edit-profile/MIRA', ['login', '/find-dev/MIRA', '/find-dev/MIRA', 'page']],
		['/edit-profile/mira/certificates?edit=', ['login', '/find-dev/mira', '/find-dev/mira', 'page']],
		['/edit-profile/mira/projects?edit=', ['login', '/find-dev/mira', '/find-dev/mira', 'page']],
	] as [string, string[]][]
	const people: Who[] = ['anonymous', 'another member', 'a moderator', 'the owner', 'a suspended member']
	const table = pages.flatMap(([path, answers]) =>
		people.flatMap((who, index) =>
			[path, path.replace(/(\?|$)/, '.data$1')].map((way) => [way, who, answers[index] ?? answers[1] ?? ''] as const),
		),
	)

	test.each(table)('%s as %s: %s', async (path, who, answer) => {
		const item = path.includes('certificates') ? ids.certificate : ids.project
		const response = await site.ask(path.endsWith('?edit=') ? path + item : path, cookies[who])
		const text = await response.text()
		expect(outcome(response, text)).toBe(answer)
		const mayKnow = answer === 'page' && (who === 'the owner' || who === 'a moderator')
		if (!mayKnow) for (const secret of secrets) expect(text).not.toContain(secret)
		if (path === '/find-dev/mira' && mayKnow) for (const secret of secrets) expect(text).toContain(secret)
	})

	test.each(people)('the profile as JSON shows %s what the page shows', async (who) => {
		const response = await site.ask('/find-dev/mira.json', cookies[who])
		const text = await response.text()
		expect(response.status).toBe(who === 'anonymous' ? 401 : 200)
		const mayKnow = who === 'the owner' || who === 'a moderator'
		for (const secret of secrets) expect(text.includes(secret)).toBe(mayKnow)
		expect(text.includes(filled.academics.enrolment_number)).toBe(who === 'the owner')
		expect(text.includes(filled.academics.university_email)).toBe(who === 'the owner')
	})

	test.each(people)('universities are suggested to members only: %s', async (who) => {
		const response = await site.ask('/suggest/universities?q=massachusetts+inst', cookies[who])
		expect(response.status).toBe(who === 'anonymous' ? 401 : 200)
		const { suggestions } = (await response.json()) as { suggestions: { value: string }[] }
		expect(suggestions.some(({ value }) => value.startsWith('Massachusetts'))).toBe(who !== 'anonymous')
	})

	test.each(people)('skills are suggested to members only: %s', async (who) => {
		const response = await site.ask('/suggest/skills?q=reac', cookies[who])
		expect(response.status).toBe(who === 'anonymous' ? 401 : 200)
		const { suggestions } = (await response.json()) as { suggestions: { value: string }[] }
		expect(suggestions.some(({ value }) => value === 'React')).toBe(who !== 'anonymous')
	})
})

const writes: [name: string, part: string, form: () => Promise<Record<string, string>>][] = [
	['personal details', '', async () => ({ ...filled.personal, version: await version('personal') })],
	['academics', '/academics', async () => ({ ...filled.academics, version: await version('academics') })],
	['social links', '/social-links', async () => ({ ...filled.social, version: await version('social') })],
	['a new certificate', '/certificates', async () => ({ ...filled.certificate, certificate_image: image })],
	[
		'a certificate',
		'/certificates',
		async () => ({
			...filled.certificate,
			certificate_image: image,
			item: ids.certificate,
			version: String((await only('certificates')).version),
		}),
	],
	['deleting a certificate', '/certificates', async () => ({ intent: 'delete', item: ids.certificate })],
	['a new experience', '/experience', async () => ({ kind: 'work', organisation: 'Lamp Works' })],
	['the order of projects', '/projects', async () => ({ intent: 'order', move: `pin:${ids.project}`, version: '1' })],
	['who sees evidence', '/evidence', async () => ({ skill: 'React' })],
	['a new project', '/projects', async () => ({ ...filled.project, project_title: 'another' })],
	[
		'a project',
		'/projects',
		async () => ({ ...filled.project, item: ids.project, version: String((await only('projects')).version) }),
	],
	['deleting a project', '/projects', async () => ({ intent: 'delete', item: ids.project })],
	[
		'the password',
		'/change-password',
		async () => ({ currentPassword: password, newPassword: 'another lantern at the ford' }),
	],
]

const anImport: (typeof writes)[number] = [
	'an import',
	'/import',
	async () => {
		const { document, fingerprint } = await previewImport(mira, 'mira', '{"basics": {"label": "Imported"}}')
		return { intent: 'apply', document, fingerprint, change: 'personal.expertise_in' }
	},
]

/** The owner has no linked GitHub account; `repositories.db.test.ts` covers one who has. */
const aPick: (typeof writes)[number] = ['repositories', '/projects/github', async () => ({ repository: '1' })]

describe('writing', () => {
	afterEach(() => suspend('mira', null))

	const refusals = (['anonymous', 'another member', 'a suspended member', 'a moderator'] as const).flatMap((who) =>
		[...writes, anImport, aPick].flatMap(([name, part, form]) =>
			['', '.data'].map((way) => [name, `${part}${way}`, who, who === 'anonymous' ? 'login' : '403', form] as const),
		),
	)

	test.each(refusals)(
		'%s (%s) by %s is answered with %s and changes nothing',
		async (_name, part, who, answer, form) => {
			const fields = await form()
			const before = await readRows()
			// The first section is an index route: its form posts to ?index.
			const path = /^(\.data)?$/.test(part) ? `/edit-profile/mira${part}?index` : `/edit-profile/mira${part}`
			const response = await site.ask(path, cookies[who], fields)
			expect(outcome(response, await response.text())).toBe(answer)
			expect(await readRows()).toEqual(before)
		},
	)

	const published = [...writes, anImport, aPick].filter(
		([name]) => !name.startsWith('deleting') && name !== 'the password',
	)
	const ownWays = published.flatMap((write) => ['', '.data'].map((way) => [write[0], way, write] as const))

	test.each(ownWays)(
		'%s (%s) by the owner, suspended, is refused with until when and why',
		async (_name, way, write) => {
			const [, part, form] = write
			const fields = await form()
			await suspend('mira', 'infinity')
			const before = await readRows()
			const path = part === '' ? `/edit-profile/mira${way}?index` : `/edit-profile/mira${part}${way}`
			const response = await site.ask(path, cookies['the owner'], fields)
			const text = await response.text()
			expect([outcome(response, text), await readRows()]).toEqual(['403', before])
			expect(text).toContain('You are permanently suspended and cannot post here.')
		},
	)

	test('pictures, campus links and tokens of a suspended member are refused too', async () => {
		await suspend('mira', 'infinity')
		const before = await readRows()
		const form = new FormData()
		form.set('kind', 'profile')
		form.set('file', new File([new Uint8Array(await picture('png', 40, 40))], 'picture.png'))
		const headers = { Cookie: cookies['the owner'], Origin: site.url }
		const upload = await fetch(`${site.url}/media`, { method: 'POST', headers, body: form })
		expect([upload.status, await upload.text()]).toEqual([
			403,
			expect.stringContaining('You are permanently suspended'),
		])
		await site.ask('/verify-campus', cookies['the owner'], { username: 'mira' })
		const token = { intent: 'make', name: 'x', scopes: 'write', days: '7' }
		const refused = await site.ask('/settings/tokens', cookies['the owner'], token)
		expect([refused.status, await refused.text()]).toEqual([
			403,
			expect.stringContaining('You are permanently suspended'),
		])
		const { rows } = await sql`
			select (select count(*)::int from access_tokens) as tokens, (select count(*)::int from campus_links) as links`.execute(
			db(),
		)
		expect(rows).toEqual([{ tokens: 0, links: 0 }])
		expect(await readRows()).toEqual(before)
	})

	test('a suspended owner can delete', async () => {
		const [, , form] = writes.find(([name]) => name === 'deleting a project') ?? ['', '', async () => ({})]
		await suspend('mira', 'infinity')
		const response = await site.ask('/edit-profile/mira/projects', cookies['the owner'], await form())
		expect(outcome(response, await response.text())).toBe('/edit-profile/mira/projects')
		expect((await readRows()).projects).toEqual([])
		await suspend('mira', null)
		await addProject(mira, 'mira', filled.project)
		ids.project = (await only('projects')).project_id
	})

	test('an import by the owner is saved', async () => {
		const response = await site.ask('/edit-profile/mira/import', cookies['the owner'], await anImport[2]())
		expect(outcome(response, await response.text())).toBe('/edit-profile/mira')
		const row = (await readRows()).profiles.find(({ user_id }) => user_id === mira.id)
		expect(row).toMatchObject({ expertise_in: 'Imported' })
	})

	test.each(writes)('%s by the owner is saved', async (_name, part, form) => {
		const fields = await form()
		const before = await readRows()
		const response = await site.ask(`/edit-profile/mira${part || '?index'}`, cookies['the owner'], fields)
		// The form about evidence is on the first page.
		expect(outcome(response, await response.text())).toBe(`/edit-profile/mira${part.replace('/evidence', '')}`)
		expect(await readRows()).not.toEqual(before)
	})
})

function suspend(username: string, until: 'infinity' | null): Promise<unknown> {
	return sql`update users set suspended_until = ${until} where username = ${username}`.execute(db())
}

/** The result of a request: `page`, `login`, the redirect's target, or the status. */
function outcome(response: Response, text: string): string {
	if (response.status === 200) return 'page'
	const address = response.headers.get('Location') ?? (response.status === 202 ? text : '')
	if (address.includes('/login?redirectTo=')) return 'login'
	return /\/(find-dev|edit-profile)\/[\w/-]+/.exec(address)?.[0] ?? String(response.status)
}

async function version(part: 'personal' | 'academics' | 'social'): Promise<string> {
	const row = await db().selectFrom('profiles').selectAll().where('user_id', '=', mira.id).executeTakeFirstOrThrow()
	return String(row[`${part}_version`])
}

async function only(table: 'certificates' | 'projects') {
	const row = (await readRows())[table].find(({ user_id }) => user_id === mira.id)
	return row as { certificate_id: string; project_id: string; version: number }
}
