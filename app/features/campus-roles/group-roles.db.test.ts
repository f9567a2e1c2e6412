import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { demoEmails } from '~/features/accounts/registration/demo-accounts.server.ts'
import { changeRole } from '~/features/administration/members/acts.server.ts'
import { getMember } from '~/features/administration/members/members.server.ts'
import { type Claims, reportIdentityUse } from '~/features/campus-login/claims.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiePairs } from '../../../tests/support/browser.ts'
import { enrolVisitor, logInAtCampus, offerCampus, startOwnCampus } from '../../../tests/support/campus-visits.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { saveSettings, viewerWithCookies } from '../../../tests/support/login-visits.ts'
import { mergeGroupRole } from './group-roles.queries.server.ts'
import { endUnlinkedRoles, mailMissingGroups } from './group-roles.server.ts'

useDatabase()
useJobTables()

const admins = 'cn=Admins\\, elected,ou=groups,dc=campus'
const why = 'The council decided so.'
let root: SignedIn
let made = 0

beforeAll(async () => {
	root = await makeMember('root', 'admin')
	const moderatorGroups = 'council\r\n /guild '
	await saveSettings(root, 'group-roles', { claim: 'groups', moderatorGroups, adminGroups: admins })
})

beforeEach(async () => {
	await sql`update users set role = 'member' where id <> ${root.id}`.execute(db())
	await sql`delete from group_roles`.execute(db())
	await sql`delete from graphile_worker._private_jobs`.execute(db())
})

interface Person extends SignedIn {
	/** Logs in with these groups; undefined for none in the answer. */
	shows: (groups?: unknown, more?: { isLogin?: boolean; claims?: Claims; identityId?: number }) => Promise<void>
	role_: () => Promise<string>
}

async function person(role: SignedIn['role'] = 'member'): Promise<Person> {
	made += 1
	const member = await makeMember(`person${made}`, role)
	const { rows } = await sql<{ id: number }>`
		insert into identities (user_id, provider, issuer, subject)
		values (${member.id}, 'campus', 'https://login.campus.example', ${member.username}) returning id`.execute(db())
	const own = Number(rows[0]?.id)
	const campus = { name: 'campus', isPublic: false }
	return {
		...member,
		shows: (groups, { isLogin = true, claims = {}, identityId = own } = {}) =>
			reportIdentityUse(campus, {
				userId: member.id,
				identityId,
				isLogin,
				claims: groups === undefined ? claims : { ...claims, groups },
			}),
		role_: async () =>
			(await db().selectFrom('users').select('role').where('id', '=', member.id).executeTakeFirstOrThrow()).role,
	}
}

type Step = (ada: Person) => Promise<unknown>

const people = (count: number) => Promise.all(Array.from({ length: count }, () => person()))
const rolesOf = (those: Person[]) => Promise.all(those.map(({ role_ }) => role_()))
const logOf = async ({ username }: SignedIn) =>
	(await listLog(root, { member: username, cursor: null })).rows.map(({ act, note }) => `${act} ${note}`)
const subjectsTo = async ({ username }: SignedIn) =>
	(await queuedMails(`${username}@campus.example`)).map(({ subject }) => subject)
const setByHand = ({ username }: SignedIn, role: string) => changeRole(root, username, { role, why })

test('a login by OpenID Connect begins a session with the role of a group', async () => {
	const campus = await startOwnCampus()
	afterAll(() => campus.stop())
	await offerCampus(root, campus)
	await saveSettings(root, 'group-roles', { claim: 'role' })
	enrolVisitor(campus, { sub: 'elected', email: 'elected@campus.example', role: ['all', '/guild'] })
	const { headers } = await logInAtCampus(campus)
	expect(await viewerWithCookies(cookiePairs(headers))).toMatchObject({ username: 'elected', role: 'moderator' })
	await saveSettings(root, 'group-roles', { claim: 'groups' })
})

describe('a group', () => {
	test.each([
		['council', 'moderator', []],
		['/guild', 'moderator', []],
		[['all', admins, 'council'], 'admin', ['root']],
		['Council', 'member', []],
		['Admins', 'member', []],
		['guild', 'member', []],
		[{ name: 'council' }, 'member', []],
		[undefined, 'member', []],
	])('%j gives the role %s, which is logged, mailed and shown', async (groups, role, alsoMailed) => {
		const ada = await person()
		await ada.shows(groups)
		expect(await ada.role_()).toBe(role)
		const mails = [await subjectsTo(ada), await subjectsTo(root)]
		const { roleSource } = await getMember(root, ada.username)
		if (role === 'member') return expect([await logOf(ada), mails, roleSource]).toEqual([[], [[], []], ''])
		expect(await logOf(ada)).toEqual([
			expect.stringMatching(`appoint as ${role}, as the campus login shows the group “`),
		])
		expect(mails).toEqual([
			[expect.stringMatching(`Your role at .* is now ${role}`)],
			alsoMailed.map(() => expect.stringMatching(`The role of ${ada.name} at .* is now ${role}`)),
		])
		expect(roleSource).toMatch('of the campus login')
	})

	test('that a check of a session shows gives the role, and its end by a check ends it', async () => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		await bo.shows('council')
		await ada.shows('council', { isLogin: false })
		expect(await rolesOf([ada, bo])).toEqual(['moderator', 'moderator'])
		await ada.shows(['all'], { isLogin: false })
		await bo.shows('council', { isLogin: false })
		expect(await rolesOf([ada, bo])).toEqual(['member', 'moderator'])
	})

	test('gives nothing to who is suspended, leaving or a demo account, and two logins at once give the role once', async () => {
		const [suspended, leaving, demo, ada] = (await people(4)) as [Person, Person, Person, Person]
		await sql`update users set suspended_until = now() + interval '1 day' where id = ${suspended.id}`.execute(db())
		await sql`update users set leaves_at = now() + interval '1 day' where id = ${leaving.id}`.execute(db())
		await sql`update users set email = ${demoEmails.member} where id = ${demo.id}`.execute(db())
		await Promise.all([suspended, leaving, demo, ada, ada].map(({ shows }) => shows('council')))
		expect(await rolesOf([suspended, leaving, demo, ada])).toEqual(['member', 'member', 'member', 'moderator'])
		expect([await logOf(ada), await subjectsTo(ada)].map(({ length }) => length)).toEqual([1, 1])
	})
})

describe('the end of a group', () => {
	test('ends the role once somebody else still shows the group, with log entry and mails', async () => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		await ada.shows(admins)
		await bo.shows(admins)
		await bo.shows('other')
		expect((await getMember(root, bo.username)).roleSource).toMatch(', which it no longer shows;')
		expect(await bo.role_()).toBe('admin')
		await ada.shows(['other'])
		await ada.shows(admins)
		// The groups of both are clear by now.
		expect(await rolesOf([ada, bo])).toEqual(['admin', 'member'])
		expect((await logOf(bo))[0]).toBe(
			`dismiss from office from admin, as the campus login no longer shows the group “${admins}”`,
		)
		expect([(await subjectsTo(bo)).at(-1), (await subjectsTo(root)).at(-1)]).toEqual([
			expect.stringMatching('Your role at .* is now member'),
			expect.stringMatching(`The role of ${bo.name} at .* is now member`),
		])
		await bo.shows('council')
		expect(await bo.role_()).toBe('moderator')
	})

	test.each<[string, (those: Person[]) => Promise<unknown>]>([
		['no claim comes for anybody', (all) => Promise.all(all.map(({ shows }) => shows()))],
		['the claim is empty for everybody', (all) => Promise.all(all.map(({ shows }) => shows([])))],
		['the group has another name', (all) => Promise.all(all.map(({ shows }) => shows(['the-council'])))],
		[
			'it is taken out of the settings',
			async (all) => {
				await saveSettings(root, 'group-roles', { moderatorGroups: 'x' })
				for (const one of all) await one.shows('council')
				await saveSettings(root, 'group-roles', { moderatorGroups: 'council\n/guild' })
			},
		],
	])('ends nothing where %s: admins are told after a day, and once a week', async (_what, misconfigure) => {
		const all = await people(3)
		for (const one of all) await one.shows('council')
		for (let round = 0; round < 2; round += 1) await misconfigure(all)
		expect(await rolesOf(all)).toEqual(['moderator', 'moderator', 'moderator'])
		const away = await person('admin')
		await sql`update users set absent_since = now() where id = ${away.id}`.execute(db())
		const toldAfter = async (days: number) => {
			await sql`
				update group_roles set told_at = told_at - make_interval(days => ${days}),
					missing_since = missing_since - make_interval(days => ${days})`.execute(db())
			await mailMissingGroups()
			return (await queuedMails('root@campus.example')).length
		}
		expect([await toldAfter(0), await toldAfter(2), await toldAfter(6), await toldAfter(2)]).toEqual([0, 1, 1, 2])
		expect(await subjectsTo(away)).toEqual([])
		const [mail] = await queuedMails('root@campus.example')
		for (const { username } of all)
			expect(mail?.text).toContain(`(@${username}), moderator by “council”, last shown on`)
		for (const one of all) await one.shows('council')
		expect(await toldAfter(30)).toBe(2)
	})

	test('is not shown by another login of the member, nor by one that does not tell the groups', async () => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		await ada.shows('council')
		await ada.shows([], { identityId: 1_000_000 })
		await ada.shows(undefined, { isLogin: false })
		await ada.shows(undefined, { claims: { _claim_names: { groups: 'src1' } } })
		await ada.shows([], { claims: { hasgroups: true } })
		await bo.shows('council')
		expect(await rolesOf([ada, bo])).toEqual(['moderator', 'moderator'])
	})

	test('leaves the last admin, whom a later one releases', async () => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		await ada.shows(admins)
		await sql`update users set role = 'member' where id = ${root.id}`.execute(db())
		await ada.shows([])
		await bo.shows(['council'])
		await sql`update users set absent_since = now() where id = ${bo.id}`.execute(db())
		await bo.shows(admins)
		expect(await rolesOf([ada, bo])).toEqual(['admin', 'admin'])
		await sql`update users set absent_since = null where id = ${bo.id}`.execute(db())
		await bo.shows(admins)
		expect(await rolesOf([ada, bo])).toEqual(['member', 'admin'])
		await sql`update users set role = 'admin' where id = ${root.id}`.execute(db())
	})

	test('that is moved to the moderators in the settings makes its admins moderators at their next login, and not others', async () => {
		const [ada, bo, taken] = (await people(3)) as [Person, Person, Person]
		for (const one of [ada, bo, taken]) await one.shows(admins)
		await setByHand(taken, 'member')
		await saveSettings(root, 'group-roles', { adminGroups: '', moderatorGroups: `${admins}\ncouncil\n/guild` })
		await sql`update users set role = 'member' where id in (${root.id}, ${bo.id})`.execute(db())
		await ada.shows(admins)
		expect(await ada.role_()).toBe('admin')
		await sql`update users set role = 'admin' where id = ${root.id}`.execute(db())
		for (const one of [ada, taken]) await one.shows(admins, { isLogin: false })
		expect(await rolesOf([ada, bo, taken])).toEqual(['moderator', 'member', 'member'])
		expect((await logOf(ada))[0]).toBe(
			`appoint as moderator, as the group “${admins}” of the campus login gives this role now`,
		)
		await ada.shows([])
		await taken.shows(admins)
		expect(await rolesOf([ada, taken])).toEqual(['member', 'member'])
		await bo.shows(admins)
		await saveSettings(root, 'group-roles', { adminGroups: admins, moderatorGroups: 'council\n/guild' })
	})

	test('leaves the role of a lower group that was shown last, with the cases that the member handles', async () => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		await ada.shows(admins)
		const { rows } = await sql<{ id: number }>`
			insert into cases (kind, target_id, assignee_id) values ('profile', ${ada.id}, ${ada.id}) returning id`.execute(
			db(),
		)
		await ada.shows([])
		await ada.shows('council')
		await bo.shows(admins)
		expect(await rolesOf([ada, bo])).toEqual(['moderator', 'admin'])
		expect((await logOf(ada))[0]).toBe(
			`appoint as moderator, as the campus login no longer shows the group “${admins}”, but “council”`,
		)
		const handled = sql`select from cases where id = ${rows[0]?.id} and assignee_id = ${ada.id}`
		expect((await handled.execute(db())).rows).toHaveLength(1)
		await ada.shows([])
		await bo.shows('council')
		expect(await ada.role_()).toBe('member')
		expect((await handled.execute(db())).rows).toHaveLength(0)
	})

	test('does not come by a new identity of the same login, which shows the group at its next use', async () => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		await ada.shows('council')
		await sql`delete from identities where user_id = ${ada.id}`.execute(db())
		await sql`insert into identities (user_id, provider, issuer, subject)
			values (${ada.id}, 'campus', 'https://new.campus.example', ${ada.username})`.execute(db())
		await endUnlinkedRoles()
		expect(await ada.role_()).toBe('moderator')
		await bo.shows('council')
		await ada.shows([])
		await bo.shows('council')
		expect(await ada.role_()).toBe('member')
	})

	test('by unlinking the login ends the role within a minute, and only that role', async () => {
		const [ada, bo, cy] = [await person(), await person('moderator'), await person()] as const
		for (const one of [ada, bo]) await one.shows('council')
		await cy.shows(admins)
		await sql`delete from identities where user_id in (${ada.id}, ${bo.id})`.execute(db())
		await endUnlinkedRoles()
		expect(await rolesOf([ada, bo, cy])).toEqual(['member', 'moderator', 'admin'])
		expect((await logOf(ada))[0]).toBe('dismiss from office from moderator, as the login that gave it was unlinked')
	})
})

describe('by hand', () => {
	test('a role that is taken is not given back, until the group has ended and is shown again', async () => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		for (const one of [ada, bo]) await one.shows('council')
		await setByHand(ada, 'member')
		await ada.shows('council')
		await ada.shows('council', { isLogin: false })
		expect(await ada.role_()).toBe('member')
		expect((await getMember(root, ada.username)).roleSource).toBe(
			'by hand, so that the group “council” of the campus login does not make them moderator',
		)
		await ada.shows([])
		await ada.shows('council')
		expect(await ada.role_()).toBe('member')
		await ada.shows([])
		await bo.shows('council')
		await ada.shows('council')
		expect(await ada.role_()).toBe('moderator')
		await setByHand(ada, 'member')
		await ada.shows([admins, 'council'])
		expect(await ada.role_()).toBe('member')
	})

	const council: Step = (ada) => ada.shows('council')
	const byHand =
		(role: string): Step =>
		(ada) =>
			setByHand(ada, role)
	test.each<[string, Step[], string]>([
		['before the group', [byHand('moderator'), council], 'moderator'],
		['above that of the group', [council, byHand('admin')], 'admin'],
		['after it was taken', [council, byHand('member'), byHand('moderator')], 'moderator'],
		['again', [council, byHand('moderator')], 'moderator'],
		['below that of the group', [byHand('moderator'), (ada) => ada.shows([admins, 'council'])], 'moderator'],
	])('a role that is given %s never ends with the group', async (_when, steps, role) => {
		const [ada, bo] = (await people(2)) as [Person, Person]
		for (const step of steps) await step(ada)
		await ada.shows([])
		await bo.shows([admins, 'council'])
		expect(await rolesOf([ada, bo])).toEqual([role, 'admin'])
		await ada.shows([])
		expect((await getMember(root, ada.username)).roleSource).toBe('')
	})

	test('a role that is chosen again to keep it is no change of the role to the member', async () => {
		const ada = await person()
		await ada.shows('council')
		await setByHand(ada, 'moderator')
		const { rows } = await sql`
			select kind from security_events where user_id = ${ada.id} and kind like 'role-changed%'`.execute(db())
		expect(rows).toHaveLength(1)
	})

	test('a role that was taken stays so for an account that this one is merged into', async () => {
		const [ada, kept] = (await people(2)) as [Person, Person]
		await ada.shows('council')
		await setByHand(ada, 'member')
		await db()
			.transaction()
			.execute((trx) => mergeGroupRole(trx, { goneId: ada.id, keptId: kept.id }))
		await kept.shows('council')
		expect(await kept.role_()).toBe('member')
	})
})

test.each([
	[{ claim: '' }, 'claim'],
	[{ adminGroups: 'council' }, 'adminGroups'],
])('settings that cannot work are refused: %j', async (input, field) => {
	const error: unknown = await saveSettings(root, 'group-roles', input).catch((refusal: unknown) => refusal)
	expect(error).toBeInstanceOf(Invalid)
	expect((error as Invalid).fields).toHaveProperty(field)
})
