import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { recordReport } from '~/features/bounces/bounces.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { csvLine } from '~/lib/csv.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { sentMails, useJobTables } from '../../../../tests/support/jobs.ts'
import {
	changeRole,
	clearBounceMarksOf,
	confirmAddressOf,
	renameMember,
	resetLostFactor,
	unlinkIdentityOf,
} from './acts.server.ts'
import { exportMembers, getMember, listMembers, readFilters } from './members.server.ts'
import { type Role, roles } from './members.view.ts'

useDatabase()
useJobTables()

let admin: SignedIn
let ada: SignedIn
const why = 'She knows the place.'
const none = readFilters(new Map())

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	ada = await makeMember('ada')
	const [sue, hal] = [await makeMember('sue'), await makeMember('hal', 'moderator')]
	await sql`update users set suspended_until = 'infinity' where id = ${sue.id}`.execute(db())
	await sql`update users set email = 'hal@elsewhere.example', name = '=HYPERLINK("x")', email_verified = true where id = ${hal.id}`.execute(
		db(),
	)
	await sql`
		insert into profiles (user_id, year_of_passing, hidden_at, university_email, campus_name, campus_verified_at, enrol_in_branch_name, only_me) values
		(${ada.id}, 2027, null, 'ada@u.example', 'Campus', now(), 'Civil Engineering', '{}'),
		(${hal.id}, 2028, now(), 'hal@u.example', 'Campus', now() - interval '2 years', 'Civil Engineering', '{academics}')`.execute(
		db(),
	)
	await sql`insert into users (username, name, email, imported) values ('ghost', 'Ghost', 'ghost@none.example', true)`.execute(
		db(),
	)
	await sql`insert into sessions (user_id, token, expires_at) values (${ada.id}, 'x', now() + interval '1 day')`.execute(
		db(),
	)
	await makeQuestion(ada)
	await sql`update users set created_at = '2024-05-01T12:00:00Z', logged_in_at = '2024-05-02T12:00:00Z' where id = ${ada.id}`.execute(
		db(),
	)
})

const roleOf = async ({ id }: SignedIn): Promise<Role> =>
	(await db().selectFrom('users').select('role').where('id', '=', id).executeTakeFirstOrThrow()).role

describe('the list', () => {
	test.each([
		[{}, ['hal', 'sue', 'admin', 'ada']],
		[{ q: 'AD' }, ['admin', 'ada']],
		[{ q: 'elsewhere' }, ['hal']],
		[{ q: '@Hal' }, ['hal']],
		[{ q: '@elsewhere' }, ['hal']],
		[{ q: 'hyperlink' }, ['hal']],
		[{ q: '%' }, []],
		[{ q: '#0' }, []],
		[{ q: '#99999999999' }, []],
		[{ role: 'moderator' }, ['hal']],
		[{ role: 'nobody' }, ['hal', 'sue', 'admin', 'ada']],
		[{ state: 'suspended' }, ['sue']],
		[{ state: 'hidden' }, ['hal']],
		[{ state: 'unconfirmed' }, ['sue', 'admin', 'ada']],
		[{ state: 'never' }, ['hal', 'sue', 'admin']],
		[{ state: 'verified' }, ['ada']],
		[{ state: 'toString' }, ['hal', 'sue', 'admin', 'ada']],
		[{ year: '2028' }, ['hal']],
		[{ year: "2028' or 1=1" }, ['hal', 'sue', 'admin', 'ada']],
		[{ domain: '@Campus.example' }, ['sue', 'admin', 'ada']],
		// Hal keeps his studies to himself.
		[{ branch: 'civil eng' }, ['ada']],
		[{ from: '2024-05-02' }, ['hal', 'sue', 'admin']],
		[{ from: '2024-05-01', to: '2024-05-01' }, ['ada']],
		[{ to: '2024-04-30' }, []],
		[{ to: '2024-02-30' }, ['hal', 'sue', 'admin', 'ada']],
		[{ idle: '2024-05-02' }, ['hal', 'sue', 'admin']],
		[{ idle: '2024-05-03' }, ['hal', 'sue', 'admin', 'ada']],
		[{ domain: 'example' }, []],
		[{ q: 'a', role: 'member', domain: 'campus.example' }, ['sue', 'ada']],
	])('narrowed to %j', async (sent, names) => {
		const { rows } = await listMembers(admin, readFilters(new Map(Object.entries(sent))), null)
		expect(rows.map(({ username }) => username)).toEqual(names)
	})

	test('finds an account by its number, as the log of the site has it', async () => {
		const { rows } = await listMembers(admin, { ...none, q: `#${admin.id}` }, null)
		expect(rows.map(({ username }) => username)).toEqual(['admin'])
	})

	test('pages the list and the export, and shows what is stored', async () => {
		// Disables the triggers, as computing search documents would take most of the time.
		await sql`alter table users disable trigger user`.execute(db())
		await sql`
			insert into users (username, name, email, created_at)
			select 'many' || i, 'Many', 'many' || i || '@many.example', '2020-01-01' from generate_series(1, 620) i`.execute(
			db(),
		)
		await sql`alter table users enable trigger user`.execute(db())
		const filters = { ...none, domain: 'many.example' }
		const seen: string[] = []
		let cursor: string | null = null
		do {
			const page: Awaited<ReturnType<typeof listMembers>> = await listMembers(admin, filters, cursor)
			seen.push(...page.rows.map(({ username }) => username))
			cursor = page.next
		} while (cursor)
		expect(new Set(seen).size).toBe(620)
		expect(seen).toHaveLength(620)
		const lines = (await Array.fromAsync(await exportMembers(admin, filters))).join('').trim().split('\r\n')
		expect(lines.slice(1).map((line) => line.split('"')[1])).toEqual(seen)
		await expect(listMembers(admin, none, 'x')).rejects.toThrow(Invalid)
		const { rows } = await listLog(admin, { member: 'admin', cursor: null })
		expect(rows[0]).toMatchObject({ act: 'export members', note: 'domain: many.example' })
	})

	test('the export contains no formulas and no secrets', async () => {
		const text = (await Array.fromAsync(await exportMembers(admin, { ...none, q: 'hal' }))).join('')
		expect(text).toContain('"hal","\'=HYPERLINK(""x"")","hal@elsewhere.example","yes","moderator"')
		expect(text).not.toMatch(/password|token|\$argon|session/i)
		for (const start of ['=', '+', '-', '@', '\t', '\r'])
			expect(csvLine([`${start}1`, 'a"b', 'a,b'])).toBe(`"'${start}1","a""b","a,b"\r\n`)
	})

	test('a member’s page shows the last login and counts', async () => {
		expect(await getMember(admin, 'ada')).toMatchObject({
			sessions: 1,
			questions: 1,
			comments: 0,
			reports: 0,
			campus: 'Campus',
			year: 2027,
		})
		expect((await getMember(admin, 'ada')).loggedInAt).not.toBeNull()
		for (const name of ['nobody', 'ghost']) await expect(getMember(admin, name)).rejects.toThrow(NotFound)
	})
})

const nameOf = async (id: number) =>
	(await db().selectFrom('users').select('username').where('id', '=', id).executeTakeFirst())?.username

describe('roles', () => {
	test.each(roles.flatMap((from) => roles.map((to) => [from, to] as const)))('from %s to %s', async (from, to) => {
		const member = await makeMember(`${from}-${to}`, from)
		const act = changeRole(admin, member.username, { role: to, why })
		if (from === to) await expect(act).rejects.toThrow(Conflict)
		else await act
		expect(await roleOf(member)).toBe(to)
		const { rows } = await listLog(admin, { member: member.username, cursor: null })
		expect(rows.map((row) => `${row.act} ${row.note}: ${row.why}`)).toEqual(
			from === to ? [] : [`${to === 'member' ? `dismiss from office from ${from}` : `appoint as ${to}`}: ${why}`],
		)
		await sql`update users set role = 'member' where id = ${member.id}`.execute(db())
	})

	test.each<[string, string, Record<string, string>, RegExp]>([
		['a reason is missing', 'ada', { role: 'admin', why: ' ' }, /Say why/],
		['there is no such role', 'ada', { role: 'owner', why }, /Choose a role/],
		['nobody is called so', 'nobody', { role: 'admin', why }, /no such member/],
		['it stands for imported authors', 'ghost', { role: 'admin', why }, /no such member/],
		['they are suspended', 'sue', { role: 'moderator', why }, /Lift the suspension first/],
		['they are the only admin', 'admin', { role: 'member', why }, /only admin/],
		['they would become moderator as the only admin', 'admin', { role: 'moderator', why }, /only admin/],
	])('refused, as %s', async (_what, username, input, message) => {
		await expect(changeRole(admin, username, input)).rejects.toThrow(message)
		expect(await roleOf(admin)).toBe('admin')
	})

	test('two admins who dismiss each other or resign concurrently leave one admin', async () => {
		const second = await makeMember('second', 'admin')
		const rounds: [SignedIn, SignedIn][][] = [
			[
				[admin, second],
				[second, admin],
			],
			[
				[admin, admin],
				[second, second],
			],
		]
		for (const round of rounds) {
			const acts = await Promise.allSettled(
				round.map(([actor, member]) => changeRole(actor, member.username, { role: 'member', why })),
			)
			expect(acts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
			expect([await roleOf(admin), await roleOf(second)].sort()).toEqual(['admin', 'member'])
			await sql`update users set role = 'admin' where id in (${admin.id}, ${second.id})`.execute(db())
		}
		await sql`update users set role = 'member' where id = ${second.id}`.execute(db())
	})
})

test('an address is confirmed manually once, without granting a role', async () => {
	await confirmAddressOf(admin, 'ada')
	await expect(confirmAddressOf(admin, 'ada')).rejects.toThrow(Conflict)
	expect(await getMember(admin, 'ada')).toMatchObject({ isConfirmed: true, role: 'member' })
})

test('an admin renames a member with a reason, at any time; the log has both names', async () => {
	const { id } = await makeMember('rude')
	for (const username of ['kind', 'kinder'])
		expect(await renameMember(admin, (await nameOf(id)) ?? '', { username, why })).toBe(username)
	await expect(renameMember(admin, 'kinder', { username: 'ada', why })).rejects.toThrow('This username is taken')
	await expect(renameMember(admin, 'kinder', { username: 'kindest', why: '' })).rejects.toThrow(/Say why/)
	const { rows } = await listLog(admin, { member: 'kinder', cursor: null })
	expect(rows.map((row) => `${row.act} ${row.note}: ${row.why}`)).toEqual([
		`rename @kind to @kinder: ${why}`,
		`rename @rude to @kind: ${why}`,
	])
	// A page or tab from before the rename.
	expect(await getMember(admin, 'rude')).toMatchObject({ username: 'kinder' })
	expect(await changeRole(admin, 'rude', { role: 'moderator', why })).toBe('moderator')
})

test.each([
	['second factor', 'hasSecondFactor', false, 'reset the second factor', 'An admin turned your authenticator app off'],
	['passkeys', 'passkeys', 0, 'remove all passkeys', 'An admin removed all passkeys'],
] as const)(
	'the %s of a member who lost a device: taken away with a reason, once, and every session too',
	async (lost, field, none_, act, mail) => {
		const who = await makeMember(`lost-${field.toLowerCase()}`)
		await sql`insert into totp_secrets (user_id, secret, confirmed_at) values (${who.id}, 'x', now())`.execute(db())
		await sql`
		insert into passkeys (user_id, credential_id, public_key, name) values (${who.id}, ${who.username}, 'x', 'Lost')`.execute(
			db(),
		)
		await sql`
		insert into sessions (user_id, token, expires_at) values (${who.id}, ${who.username}, now() + interval '1 day')`.execute(
			db(),
		)
		await expect(resetLostFactor(admin, who.username, lost, { why: '' })).rejects.toThrow(/Say why/)
		expect(await getMember(admin, who.username)).toMatchObject({ hasSecondFactor: true, passkeys: 1, sessions: 1 })
		await resetLostFactor(admin, who.username, lost, { why })
		await expect(resetLostFactor(admin, who.username, lost, { why })).rejects.toThrow(Conflict)
		expect(await getMember(admin, who.username)).toMatchObject({
			...{ hasSecondFactor: true, passkeys: 1 },
			...{ [field]: none_, sessions: 0 },
		})
		const { rows } = await listLog(admin, { member: who.username, cursor: null })
		expect(rows.map((row) => [row.act, row.why])).toEqual([[act, why]])
		const [sent] = await sentMails(`${who.username}@campus.example`)
		expect(sent?.subject).toContain(mail)
	},
)

test('an admin unlinks a login of another site with a reason: sessions and tokens end, the member gets a mail, and links that wait are gone', async () => {
	const who = await makeMember('linked')
	const { rows: made } = await sql<{ id: number }>`
		insert into identities (user_id, provider, issuer, subject, name)
		values (${who.id}, 'campus', 'https://campus.example', 'linked', 'at-campus'), (${who.id}, 'github', 'https://github.com', '7', 'gh')
		returning id`.execute(db())
	const [campus = 0, github = 0] = made.map(({ id }) => id)
	await sql`
		insert into sessions (user_id, token, expires_at) values (${who.id}, 'linked', now() + interval '1 day')`.execute(
		db(),
	)
	await sql`
		insert into access_tokens (user_id, name, token_hash, last_four, scopes, expires_at)
		values (${who.id}, 'x', 'linked', 'abcd', '{read}', now() + interval '1 day')`.execute(db())
	await sql`
		insert into link_requests (user_id, email, provider, identity_hash, browser_hash, kept, expires_at)
		values (${who.id}, 'linked@campus.example', 'campus', 'x', 'linked', 'x', now() + interval '1 day')`.execute(db())
	const unlink = (identity: unknown, by: Viewer = admin, reason = why) =>
		unlinkIdentityOf(by, 'linked', { identity: String(identity), why: reason })
	await expect(unlink(campus, admin, '')).rejects.toThrow(/Say why/)
	for (const id of ['x', '', 0, 2 ** 40]) await expect(unlink(id)).rejects.toThrow(NotFound)
	const other = await makeMember('unlinked')
	await expect(unlinkIdentityOf(admin, other.username, { identity: String(campus), why })).rejects.toThrow(NotFound)
	expect(await getMember(admin, 'linked')).toMatchObject({
		...{ sessions: 1, tokens: 1 },
		linked: [
			{ id: campus, title: 'The campus login', name: 'at-campus' },
			{ id: github, title: 'GitHub', name: 'gh' },
		],
	})
	await unlink(campus)
	await expect(unlink(campus)).rejects.toThrow('It is removed already.')
	expect(await getMember(admin, 'linked')).toMatchObject({ sessions: 0, tokens: 0, linked: [{ id: github }] })
	const { rows: waiting } = await sql`select from link_requests where user_id = ${who.id}`.execute(db())
	expect(waiting).toEqual([])
	const { rows } = await listLog(admin, { member: 'linked', cursor: null })
	expect(rows.map((row) => [row.act, row.why, row.note])).toEqual([['unlink a login', why, 'the campus login']])
	const [sent] = await sentMails('linked@campus.example')
	expect(sent?.subject).toContain('An admin unlinked the campus login')
	const { rows: seen } = await sql<{ kind: string }>`
		select kind from security_events where user_id = ${who.id}`.execute(db())
	expect(seen.map(({ kind }) => kind)).toEqual(['identity-unlinked by an admin'])
	await expect(unlinkIdentityOf(admin, 'admin', { identity: '1', why })).rejects.toThrow('This is your own account.')
	await sql`delete from users where id in (${who.id}, ${other.id})`.execute(db())
})

test('lists members whose mail bounces, with the reason; an admin clears the mark once', async () => {
	const who = await makeMember('returned')
	const mail = { userId: who.id, email: 'returned@campus.example', sentAt: new Date() }
	await recordReport(mail, { says: 'permanent', status: '5.2.1' })
	const { rows } = await listMembers(admin, { ...none, state: 'returned' }, null)
	expect(rows.map(({ username, isMailReturned }) => [username, isMailReturned])).toEqual([['returned', true]])
	expect((await getMember(admin, 'returned')).problems).toMatchObject([
		{ reason: 'The mailbox is disabled', status: '5.2.1' },
	])
	await clearBounceMarksOf(admin, 'returned')
	expect((await getMember(admin, 'returned')).problems).toEqual([])
	await expect(clearBounceMarksOf(admin, 'returned')).rejects.toThrow(
		'Mail to this member is no longer being returned.',
	)
	const { rows: logged } =
		await sql`select from moderation_log where act = 'clear returned mail' and actor_id = ${admin.id}`.execute(db())
	expect(logged).toHaveLength(1)
	await sql`delete from users where id = ${who.id}`.execute(db())
})

test('only admins, according to the database, can do any of this', async () => {
	const former = { ...(await makeMember('former', 'member')), role: 'admin' as const }
	const acts: [string, (who: Viewer) => Promise<unknown>, boolean][] = [
		['list', (who) => listMembers(who, none, null), false],
		['one', (who) => getMember(who, 'ada'), false],
		['file', (who) => exportMembers(who, none), true],
		['role', (who) => changeRole(who, 'ada', { role: 'moderator', why }), true],
		['confirm', (who) => confirmAddressOf(who, 'sue'), true],
		['clear mail', (who) => clearBounceMarksOf(who, 'sue'), true],
		['reset the second factor', (who) => resetLostFactor(who, 'ada', 'second factor', { why }), true],
		['remove all passkeys', (who) => resetLostFactor(who, 'ada', 'passkeys', { why }), true],
		['unlink a login', (who) => unlinkIdentityOf(who, 'ada', { identity: '1', why }), true],
		['rename', (who) => renameMember(who, 'sue', { username: 'susan', why }), true],
	]
	const hal = { ...ada, username: 'hal', role: 'moderator' as const }
	for (const [what, act, asksDatabase] of acts)
		for (const who of [null, ada, hal, ...(asksDatabase ? [former] : [])])
			await expect(act(who), `${what} by ${who?.username}`).rejects.toThrow(NotAllowed)
	expect(await roleOf(ada)).toBe('member')
})
