import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCertificate, addProject } from '~/features/profile-editor/items.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { filled, makePicture } from '../factories/profiles.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, profileTables, readRows, startOnTestDatabase } from '../support/members-site.ts'

/* Every form is sent with every column of every table: only its own fields may change. */

useDatabase()

let site: MembersSite
let cookie: string
let mira: SignedIn
let bram: SignedIn
let image: string
let columns: { table: string; column: string; type: string }[]
const made = { certificates: '', projects: '' }
const foreign = '11111111-2222-4333-8444-555555555555'

beforeAll(async () => {
	site = await startOnTestDatabase()
	const session = await logInMember(site, 'mira')
	mira = session.member
	cookie = session.cookie
	bram = (await logInMember(site, 'bram')).member
	image = await makePicture(mira, 'certificate')
	await makePicture(bram, 'profile')
	await db()
		.insertInto('profiles')
		.values(
			[mira, bram].map(({ id }) => ({
				user_id: id,
				year_of_passing: null,
				current_semester: null,
				current_year: null,
			})),
		)
		.execute()
	for (const one of [mira, bram]) {
		await addCertificate(one, one.username, {
			...filled.certificate,
			certificate_image: await makePicture(one, 'certificate'),
		})
		await addProject(one, one.username, filled.project)
	}
	const { certificates, projects } = await readRows()
	made.certificates = String(certificates.find(({ user_id }) => user_id === mira.id)?.certificate_id)
	made.projects = String(projects.find(({ user_id }) => user_id === mira.id)?.project_id)
	const { rows } = await sql<{ table: string; column: string; type: string }>`
		select table_name as "table", column_name as "column", data_type as type from information_schema.columns
		where table_schema = 'public' and table_name in (${sql.join([...profileTables])})`.execute(db())
	columns = rows
})

afterAll(() => site?.stop())

type Owned = Partial<Record<(typeof profileTables)[number], string[] | 'rows'>>

const certificateFields = [
	'certificate_title',
	'certificate_url',
	'certificate_image',
	'certificate_issue_date',
	'certificate_expire_date',
	'credential_verification_link',
	'version',
]
/** A form renews the picture that it names for another hour, so that the sweep cannot delete it before the save. */
const pictureFields = ['created_at']
const projectFields = [
	'project_title',
	'project_description',
	'project_image',
	'project_tech_stack',
	'project_date',
	'project_source_code_link',
	'project_deployment_link',
	'project_demo_link',
	'version',
	// Derived from the others.
	'search',
]

const forms: [name: string, path: string, own: () => Record<string, string>, owned: Owned][] = [
	[
		'personal details',
		'?index',
		() => ({ ...filled.personal, profile_url: '' }),
		{
			users: ['name', 'image', 'updated_at'],
			profiles: [
				...'phone city expertise_in about about_html about_text open_to open_until pronouns show_email show_phone'.split(
					' ',
				),
				...'listed show_presence status_line status_until public_page noindex personal_version'.split(' '),
			],
			skills: 'rows',
			profile_skills: 'rows',
		},
	],
	[
		'academics',
		'/academics',
		() => filled.academics,
		{ profiles: [...Object.keys(filled.academics), 'academics_version'] },
	],
	[
		'social links',
		'/social-links',
		() => ({ ...filled.social }),
		{ profiles: 'github linkedin leetcode portfolio hackerrank codechef geeksforgeek social_version'.split(' ') },
	],
	[
		'a certificate',
		'/certificates',
		() => ({ ...filled.certificate, certificate_title: 'Changed', certificate_image: image, item: made.certificates }),
		{ certificates: certificateFields, pictures: pictureFields },
	],
	[
		'a project',
		'/projects',
		() => ({ ...filled.project, project_title: 'Changed', project_image: '', item: made.projects }),
		{ projects: projectFields },
	],
	[
		'a new certificate',
		'/certificates',
		() => ({ ...filled.certificate, certificate_image: image }),
		{ certificates: 'rows', pictures: pictureFields },
	],
	['a new project', '/projects', () => ({ ...filled.project, project_image: '' }), { projects: 'rows' }],
]

test.each(forms)('%s: changes only its own fields', async (_name, path, own, owned) => {
	const before = await readRows()
	const response = await site.ask(`/edit-profile/mira${path}`, cookie, { ...everyColumn(), ...own(), version: '1' })
	expect(response.status).toBe(303)
	const after = await readRows()
	expect(after).not.toEqual(before)
	for (const table of profileTables) {
		const fields = owned[table]
		if (fields === 'rows') continue
		const others = (rows: Record<string, unknown>[]) =>
			rows.map((row) =>
				Object.fromEntries(Object.entries(row).filter(([column]) => !(isMiras(row) && fields?.includes(column)))),
			)
		expect(sorted(others(after[table])), table).toEqual(sorted(others(before[table])))
	}
})

test('a new item belongs to the sender, with an id, version and place that they cannot choose', async () => {
	const certificates = (await readRows()).certificates.filter(({ certificate_id }) => certificate_id === foreign)
	const projects = (await readRows()).projects.filter(({ project_id }) => project_id === foreign)
	expect([certificates, projects]).toEqual([[], []])
	const added = (await readRows()).projects.filter((row) => row.project_id !== made.projects)
	expect(added.map(({ user_id, version }) => [user_id, version])).toEqual(
		expect.arrayContaining([
			[mira.id, 1],
			[bram.id, 1],
		]),
	)
	expect(added).toHaveLength(2)
})

/** A malicious value for every existing column. */
function everyColumn(): Record<string, string> {
	return Object.fromEntries(
		columns.map(({ column, type }) => {
			if (column === 'role') return [column, 'admin']
			if (column === 'user_id') return [column, String(bram.id)]
			if (type === 'boolean') return [column, 'true']
			if (type === 'uuid') return [column, foreign]
			if (/int/.test(type)) return [column, '7']
			if (/date|time/.test(type)) return [column, '2001-01-01']
			return [column, 'taken']
		}),
	)
}

function isMiras(row: Record<string, unknown>): boolean {
	if ('certificate_id' in row) return row.certificate_id === made.certificates
	if ('project_id' in row) return row.project_id === made.projects
	return 'user_id' in row ? row.user_id === mira.id : row.id === mira.id
}

function sorted(rows: Record<string, unknown>[]): string[] {
	return rows.map((row) => JSON.stringify(row)).sort()
}
