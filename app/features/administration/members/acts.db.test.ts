import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { writeEmails } from '~/features/identity/emails/emails.queries.server.ts'
import { logOutMember, setModeratorRole } from '~/features/moderation/members.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { insertPasskey } from '~/features/passkeys/passkeys.queries.server.ts'
import { requestArchive } from '~/features/privacy/archive/archive.server.ts'
import { leave } from '~/features/privacy/leaving/leaving.server.ts'
import { listSecurityEvents } from '~/features/sessions/security-log.server.ts'
import { markAbsent } from '~/features/sessions/sessions.queries.server.ts'
import { Conflict } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import {
	changeRole,
	confirmAddressOf,
	deleteAccountOf,
	renameMember,
	requestMemberArchive,
	resetLostFactor,
} from './acts.server.ts'
import { runBulk } from './bulk.server.ts'
import { getMember, listMembers, readFilters } from './members.server.ts'
import { memberForms } from './members.view.ts'

useDatabase()
useJobTables()

const why = 'They asked for it.'
let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
})

const logOf = async (member: string) => (await listLog(admin, { member, cursor: null })).rows.map(({ act }) => act)

test('an admin who is leaving can become a member, as another admin stays', async () => {
	const leaver = await makeMember('leaver', 'admin')
	await leave(leaver, { texts: 'keep' })
	expect(await changeRole(admin, 'leaver', { role: 'member', why })).toBe('member')
	await expect(changeRole(admin, 'admin', { role: 'member', why })).rejects.toThrow('only admin')
})

test('a member is mailed that their role has changed, and so are all admins about an admin', async () => {
	await makeMember('elected')
	const subjectsTo = async (name: string) => (await queuedMails(`${name}@campus.example`)).map(({ subject }) => subject)
	await setModeratorRole(admin, 'elected', 'moderator')
	expect((await subjectsTo('admin')).filter((subject) => subject.includes('Elected'))).toEqual([])
	await changeRole(admin, 'elected', { role: 'admin', why })
	await changeRole(admin, 'elected', { role: 'member', why })
	const [own, admins] = [await subjectsTo('elected'), await subjectsTo('admin')]
	expect(own.map((subject) => subject.replace(/.* is now /, ''))).toEqual(['moderator', 'admin', 'member'])
	const about = admins.filter((subject) => subject.startsWith('The role of Elected at '))
	expect(about.map((subject) => subject.replace(/.* is now /, ''))).toEqual(['admin', 'member'])
})

test('of two admins, one of whom has left the campus, the other stays', async () => {
	const { id } = await makeMember('graduate', 'admin')
	await markAbsent(id, db())
	await expect(changeRole(admin, 'admin', { role: 'member', why })).rejects.toThrow('only admin')
	await expect(leave(admin, { texts: 'keep' })).rejects.toThrow('The only admin cannot leave')
	expect(await changeRole(admin, 'graduate', { role: 'member', why })).toBe('member')
})

test('an account that is being deleted is found in the list, with the time of its deletion, and cannot be deleted again', async () => {
	const { id } = await makeMember('parting')
	await writeEmails(db(), id, { email: 'parting@campus.example', second_email: 'parting@home.example' })
	await deleteAccountOf(admin, 'parting', { texts: 'keep', why })
	for (const address of ['parting@campus.example', 'parting@home.example']) {
		const mails = await queuedMails(address)
		expect(mails).toMatchObject([{ text: expect.stringMatching(/An admin asked for .* deleted on .* Log in before/s) }])
		expect(mails[0]).not.toHaveProperty('optional')
	}
	const member = await getMember(admin, 'parting')
	const days = (Date.parse(member.leavesAt ?? '') - Date.now()) / 86_400_000
	expect(days).toBeCloseTo(14, 1)
	expect(memberForms(member, true)).not.toContain('delete')
	const { rows } = await listMembers(admin, readFilters(new Map([['state', 'leaving']])), null)
	const names = rows.map(({ username }) => username)
	expect([names.includes('parting'), names.includes('admin')]).toEqual([true, false])
})

test('a member’s page shows their ways to log in', async () => {
	const { id } = await makeMember('linked')
	await sql`insert into identities (user_id, provider, issuer, subject, name) values
		(${id}, 'campus', 'https://login.uni.example', '1', 'mq123'), (${id}, 'google', 'https://google.example', '2', '')`.execute(
		db(),
	)
	await sql`insert into credentials (user_id, account_id, provider_id, password) values (${id}, '1', 'credential', 'a hash')`.execute(
		db(),
	)
	expect((await getMember(admin, 'linked')).logins).toEqual(['Password', 'The campus login (mq123)', 'Google'])
})

test('the log has an archive that an admin asked for, and none that was refused', async () => {
	const member = await makeMember('archived')
	await requestArchive(member, member)
	await expect(requestMemberArchive(admin, 'archived', { why })).rejects.toThrow(Conflict)
	expect(await logOf('archived')).toEqual([])
	await sql`delete from archives`.execute(db())
	await requestMemberArchive(admin, 'archived', { why })
	expect(await logOf('archived')).toEqual(['make an archive'])
})

test('a member reads which events of their account an admin caused', async () => {
	const member = await makeMember('helped')
	await confirmAddressOf(admin, 'helped')
	await renameMember(admin, 'helped', { username: 'cared.for', why })
	await logOutMember(admin, 'cared.for')
	await requestMemberArchive(admin, 'cared.for', { why })
	await deleteAccountOf(admin, 'cared.for', { texts: 'keep', why })
	expect((await listSecurityEvents(member)).map(({ text }) => text)).toEqual([
		'An admin asked for the account to be deleted',
		'An admin asked for an archive of the account',
		'An admin ended all sessions',
		'An admin changed the username',
		'An admin confirmed the email address',
	])
})

test.each<[string, (member: SignedIn) => Promise<unknown>]>([
	['departure begins', (member) => leave(member, { texts: 'keep' })],
	['lost passkeys are removed', ({ username }) => resetLostFactor(admin, username, 'passkeys', { why })],
])('known devices are forgotten in the moment in which a member’s %s', async (what, act) => {
	const member = await makeMember(what.replaceAll(' ', '.'))
	await sql`insert into known_devices (token_hash, user_id) values (${what}, ${member.id})`.execute(db())
	await insertPasskey(db(), {
		...{
			userId: member.id,
			credentialId: what,
			publicKey: new Uint8Array(1),
			counter: 0,
			transports: [],
			name: 'Phone',
		},
	})
	const rest = async () => {
		const { rows } = await sql`
			select leaves_at is null as stays, (select count(*)::int from passkeys where user_id = users.id) as passkeys
			from users where id = ${member.id}`.execute(db())
		return rows[0]
	}
	// What the process leaves if it is killed before they are forgotten.
	const [acted, between] = await queuedBehind<unknown>(
		(trx) => sql`select from known_devices where user_id = ${member.id} for update`.execute(trx),
		[() => act(member), rest],
	)
	expect([acted?.status, between]).toEqual(['fulfilled', { status: 'fulfilled', value: { stays: true, passkeys: 1 } }])
	expect(await rest()).not.toEqual({ stays: true, passkeys: 1 })
})

test('a bulk action that breaks for one member is carried out for the others, and says for whom it was not', async () => {
	const members = [await makeMember('first'), await makeMember('broken'), await makeMember('last')]
	const broken = sql.raw(`check (id <> ${members[1]?.id} or suspended_until is null) not valid`)
	await sql`alter table users add constraint broken ${broken}`.execute(db())
	const ids = members.map(({ id }) => id).join(',')
	const result = await runBulk(admin, 'suspend', { ids, why, time: '1 day' })
	await sql`alter table users drop constraint broken`.execute(db())
	expect(result).toMatchObject({ done: 2, leftOut: [{ usernames: ['broken'] }] })
})
