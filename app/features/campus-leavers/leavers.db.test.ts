import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { logIn } from '~/features/accounts/login.server.ts'
import { passwordLoginPath, registerLoginMethods } from '~/features/accounts/login-methods.server.ts'
import { sendAccountMail, sendQueuedMail } from '~/features/accounts/registration/account-mails.server.ts'
import { resetPassword } from '~/features/accounts/security/change-password.server.ts'
import { changeRole } from '~/features/administration/members/acts.server.ts'
import { getMember, listMembers, readFilters } from '~/features/administration/members/members.server.ts'
import { findCampus } from '~/features/campus/campus.queries.server.ts'
import { confirmCampus, requestCampusVerification } from '~/features/campus/campus.server.ts'
import { listLogins, unlinkIdentity } from '~/features/campus-login/linked-logins.server.ts'
import { features } from '~/features/index.server.ts'
import { beginDeletion, listDue } from '~/features/privacy/leaving/leaving.queries.server.ts'
import { getLeaving, leave } from '~/features/privacy/leaving/leaving.server.ts'
import { mergeProfiles } from '~/features/profiles/merging.queries.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { form } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { requestOf, saveSettings } from '../../../tests/support/login-visits.ts'
import { deleteForgotten } from './deletion.server.ts'
import { getLeavers } from './leavers-page.server.ts'
import { markList, markListed, previewList } from './lists.server.ts'
import { markLeft, takeMarkBack } from './marking.server.ts'

useDatabase()
useJobTables()

let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
})

const has = async ({ id }: SignedIn, column: 'left_campus_at' | 'leaves_at') => {
	const { rows } = await sql<{ is: boolean }>`
		select ${sql.ref(column)} is not null as is from users where id = ${id}`.execute(db())
	return rows[0]?.is
}
const isMarked = (member: SignedIn) => has(member, 'left_campus_at')
const isLeaving = (member: SignedIn) => has(member, 'leaves_at')

describe('a list of the university', () => {
	test('marks whom its lines name, and nobody in doubt', async () => {
		const [mira, ben, zoe, tess, twin] = await Promise.all(
			['mira', 'ben', 'zoe', 'tess', 'twin'].map((one) => makeMember(one)),
		)
		const gone = await makeMember('parting')
		await leave(gone, { texts: 'keep' })
		await makeMember('staff', 'moderator')
		for (const [member, email, at, number] of [
			[ben, 'ben@uni.example', 'now()', '21CS1'],
			[zoe, 'zoe@uni.example', 'null', '21CS2'],
			[tess, '', 'null', 'Twin'],
		] as const)
			await sql`insert into profiles (user_id, university_email, campus_name, campus_verified_at, enrolment_number)
				values (${member?.id}, ${email}, '', ${sql.raw(at)}, ${number})`.execute(db())
		const names = [
			'mira@campus.example',
			'BEN@uni.example',
			'21cs2',
			'twin',
			'zoe@uni.example',
			'@mira',
			'staff@campus.example',
			'parting@campus.example',
		]
		const preview = await previewList(admin, { names: names.join('\n') })
		expect(preview.members.map(({ username }) => username)).toEqual(['mira', 'ben', 'zoe'])
		expect(preview.leftOut.map(({ line, why }) => `${line} ${why}`)).toEqual([
			'4 It fits several members.',
			'5 No member has this.',
			'6 @mira is in this list twice.',
			'7 @staff is moderator. Change the role first.',
			'8 The account of @parting is being deleted.',
		])
		const ids = preview.members.map(({ id }) => id)
		expect(await markList(admin, { ids: `${ids.join(',')},x,-1` })).toBe(3)
		const { rows } = await sql<{ payload: { userIds: number[]; by: number } }>`
			select payload from graphile_worker._private_jobs where payload ->> 'userIds' is not null`.execute(db())
		for (const { payload } of rows) await markListed(payload)
		expect(await Promise.all([mira, ben, zoe, tess, twin].map((one) => one && isMarked(one)))).toEqual([
			...[true, true, true, false, false],
		])
		const found = await listMembers(admin, readFilters(new Map([['state', 'left']])), null)
		expect(found.rows.map(({ id }) => id).sort()).toEqual(ids.sort())
		if (mira) await takeMarkBack(admin, mira.id)
		expect(mira && (await isMarked(mira))).toBe(false)
		const { rows: log } = await sql<{ act: string }>`select act from moderation_log order by id`.execute(db())
		expect(log.map(({ act }) => act)).toEqual(['mark who left', 'take back that they left'])
	})

	test('is only for admins, and marks no moderator or admin whose id is sent', async () => {
		const [staff, member] = [await makeMember('deputy', 'moderator'), await makeMember('plain')]
		await expect(previewList(staff, { names: 'plain' })).rejects.toThrow(NotAllowed)
		await expect(markList(staff, { ids: '1' })).rejects.toThrow(NotAllowed)
		await expect(takeMarkBack(staff, member.id)).rejects.toThrow(NotAllowed)
		await expect(markList(admin, { ids: '' })).rejects.toThrow(Invalid)
		await expect(previewList(admin, { names: ' ' })).rejects.toThrow(Invalid)
		// An account may be deleted between the preview and the job.
		await markLeft([staff.id, admin.id, 999_999, member.id, member.id], null)
		expect(await Promise.all([staff, admin, member].map(isMarked))).toEqual([false, false, true])
		expect(await queuedMails('plain@campus.example')).toHaveLength(1)
		expect((await getMember(admin, 'plain')).leftCampusAt).not.toBeNull()
		await changeRole(admin, 'plain', { role: 'moderator', why: 'Looks after the alumni.' })
		expect(await isMarked(member)).toBe(false)
	})
})

test('whoever has left does not become a verified student again by mail or a merge', async () => {
	const [left, twin] = [await makeMember('beth'), await makeMember('bethtwin')]
	await sql`insert into profiles (user_id, university_email, campus_name, campus_verified_at) values
		(${left.id}, 'beth@mit.edu', '', null), (${twin.id}, 'beth2@mit.edu', 'MIT', now())`.execute(db())
	await requestCampusVerification(left, 'beth', '192.0.2.1')
	const [mail] = await queuedMails('beth@mit.edu')
	if (mail) await sendQueuedMail(mail)
	await markLeft([left.id], null)
	const refusal = /says that you have left it/
	await expect(confirmCampus(mail?.link?.token ?? '')).rejects.toThrow(refusal)
	await expect(requestCampusVerification(left, 'beth', '192.0.2.1')).rejects.toThrow(refusal)
	await db()
		.transaction()
		.execute((trx) => mergeProfiles(trx, { goneId: twin.id, keptId: left.id }))
	expect(await findCampus(left.id)).toMatchObject({ campus_verified_at: null, has_left: true })
	await takeMarkBack(admin, left.id)
	await requestCampusVerification(left, 'beth', '192.0.2.1')
})

describe('the account of somebody who has left', () => {
	/** A member who left this many days ago. @param login days since the last login; null for none */
	async function gone(username: string, days: number, login: number | null = null): Promise<SignedIn> {
		const member = await makeMember(username)
		await sql`
			update users set left_campus_at = now() - make_interval(days => ${days}),
				logged_in_at = now() - make_interval(days => ${login}::int) where id = ${member.id}`.execute(db())
		return member
	}

	test('stays, unless the settings say that it is deleted, after an email and 14 days', async () => {
		const members = [
			await gone('long', 50, 51),
			await gone('short', 20, 51),
			await gone('back', 50, 10),
			await gone('never', 50),
		]
		const [long, , , never] = members
		const states = () => Promise.all(members.map(isLeaving))
		await deleteForgotten()
		expect(await states()).toEqual([false, false, false, false])
		await saveSettings(admin, 'campus-leavers', { after: 'delete', days: '40' })
		await deleteForgotten()
		await deleteForgotten()
		expect(await states()).toEqual([true, false, false, true])
		expect(await queuedMails('long@campus.example')).toMatchObject([
			{ text: expect.stringMatching(/more than 40 days ago.*deleted on/s) },
		])
		// A login keeps it, as the mail says, even without pressing anything.
		await sql`update users set logged_in_at = now() + interval '1 minute' where id = ${long?.id}`.execute(db())
		await deleteForgotten()
		expect(await states()).toEqual([false, false, false, true])
		// And so does the setting.
		await saveSettings(admin, 'campus-leavers', { after: 'keep' })
		await deleteForgotten()
		expect(await states()).toEqual([false, false, false, false])
		expect(never && (await beginDeletion(db(), never.id))).toBeUndefined()
	})

	test('is kept by a login, even if the nightly job did not run before the day of the deletion', async () => {
		await saveSettings(admin, 'campus-leavers', { after: 'delete', days: '40' })
		const members = [await gone('backagain', 50), await gone('unmarked', 50), await gone('silent', 50)]
		const [backAgain, unmarked, silent] = members
		await deleteForgotten()
		await sql`update users set logged_in_at = now() + interval '1 minute' where id = ${backAgain?.id}`.execute(db())
		await sql`update users set left_campus_at = null where id = ${unmarked?.id}`.execute(db())
		await sql`update users set leaves_at = now() - interval '1 hour' where id = any(${members.map(({ id }) => id)}::int[])`.execute(
			db(),
		)
		const begun = []
		for (const { id } of members) begun.push((await beginDeletion(db(), id))?.id)
		expect(begun).toEqual([undefined, undefined, silent?.id])
		expect(await listDue(9)).toEqual([silent?.id])
		// What has begun ends, whoever logs in.
		await sql`update users set logged_in_at = now() + interval '1 minute' where id = ${silent?.id}`.execute(db())
		expect(await listDue(9)).toEqual([silent?.id])
		await deleteForgotten()
		expect(await Promise.all(members.map(isLeaving))).toEqual([false, false, true])
		await saveSettings(admin, 'campus-leavers', { after: 'keep' })
	})

	test('can be deleted after all by whoever has logged in and kept it thereby', async () => {
		const member = await gone('resolved', 50)
		await saveSettings(admin, 'campus-leavers', { after: 'delete', days: '40' })
		await deleteForgotten()
		await sql`update users set logged_in_at = now() + interval '1 minute' where id = ${member.id}`.execute(db())
		expect((await getLeaving(member)).departure).toMatchObject({ isByRule: true, keepsTexts: true })
		await leave(member, { texts: 'remove' })
		expect((await getLeaving(member)).departure).toMatchObject({ isByRule: false, keepsTexts: false })
		await expect(leave(member, { texts: 'remove' })).rejects.toThrow('already being deleted')
		await deleteForgotten()
		expect(await isLeaving(member)).toBe(true)
		await saveSettings(admin, 'campus-leavers', { after: 'keep' })
	})

	test('is not kept if the member asked for its deletion', async () => {
		const member = await gone('decided', 50)
		await leave(member, { texts: 'remove' })
		await deleteForgotten()
		expect(await isLeaving(member)).toBe(true)
	})
})

describe('where the login of the university is the only way in', () => {
	const password = 'a ferry across the long lake'
	const enter = (email: string) => logIn(form({ email, password }), requestOf('/login'))

	/** Follows the mailed link for a new password. @returns whether one was mailed */
	async function reset(email: string): Promise<boolean> {
		const before = (await queuedMails(email)).length
		await sendAccountMail({ kind: 'reset', email })
		const mail = (await queuedMails(email))[before]
		if (!mail?.link) return false
		await sendQueuedMail(mail)
		await resetPassword(form({ token: mail.link.token, password, confirmPassword: password }), requestOf('/'))
		return true
	}

	beforeAll(async () => {
		await sql`update users set left_campus_at = null`.execute(db())
		registerLoginMethods([{ name: 'campus', loginMethods: { buttons: () => [], onlyWay: () => 'Eastmere account' } }])
		return () => registerLoginMethods(features)
	})

	test('whoever has left sets a password and logs in; nobody else does, nor learns who has left', async () => {
		const [left, other] = [await makeMember('graduate'), await makeMember('student')]
		await sql`update users set email_verified = true where id in (${left.id}, ${other.id})`.execute(db())
		await expect(enter('graduate')).rejects.toThrow('Passwords are switched off on this site.')
		expect(await reset('graduate@campus.example')).toBe(false)
		await markLeft([left.id], null)
		const refusal = /The email or password is wrong/
		for (const name of ['graduate', 'student', 'nobody']) await expect(enter(name)).rejects.toThrow(refusal)
		expect([await reset('graduate@campus.example'), await reset('student@campus.example')]).toEqual([true, false])
		await sql`insert into credentials (user_id, account_id, provider_id, password)
			select ${other.id}, '1', 'credential', password from credentials where user_id = ${left.id}`.execute(db())
		for (const name of ['graduate', 'graduate@campus.example']) expect((await enter(name)).has('Set-Cookie')).toBe(true)
		for (const name of ['student', 'student@campus.example']) await expect(enter(name)).rejects.toThrow(refusal)
		// The settings know their password, and let them remove the login that no longer works.
		await sql`insert into identities (user_id, provider, issuer, subject)
			select id, 'ldap', 'dc=eastmere', username from users where id in (${left.id}, ${other.id})`.execute(db())
		expect([(await listLogins(left)).hasPassword, (await listLogins(other)).hasPassword]).toEqual([true, false])
		const { rows } = await sql<{ id: number; user_id: number }>`
			select id, user_id from identities where user_id in (${left.id}, ${other.id})`.execute(db())
		const idOf = ({ id }: SignedIn) => rows.find(({ user_id }) => user_id === id)?.id ?? 0
		await unlinkIdentity(left, idOf(left), 0)
		await expect(unlinkIdentity(other, idOf(other), 0)).rejects.toThrow('your only way to log in')
		expect(passwordLoginPath()).toBe('/login?left')
		// Not after they are back at the university.
		await sql`update users set left_campus_at = null where id = ${left.id}`.execute(db())
		await makeMember('another').then(({ id }) => markLeft([id], null))
		await expect(enter('graduate')).rejects.toThrow(refusal)
	})

	test('an address of the university, which may pass to somebody else, gets no link after 90 days; a private one does', async () => {
		const { id } = await makeMember('alum')
		await saveSettings(admin, 'campus-leavers', { domains: 'campus.example' })
		await sql`
			update users set email_verified = true, second_email = 'alum@home.example', left_campus_at = now() - interval '91 days'
			where id = ${id}`.execute(db())
		expect([await reset('alum@campus.example'), await reset('alum@home.example')]).toEqual([false, true])
		expect((await enter('alum')).has('Set-Cookie')).toBe(true)
		await sql`update users set left_campus_at = now() - interval '89 days' where id = ${id}`.execute(db())
		expect(await reset('alum@campus.example')).toBe(true)
	})

	test('an account is deleted by the rule only if its member can still have a link for a new password mailed', async () => {
		await saveSettings(admin, 'campus-leavers', { after: 'delete', days: '40', domains: 'campus.example' })
		const [shut, open, unsure] = [await makeMember('shut'), await makeMember('openly'), await makeMember('unsurely')]
		const ids = [shut, open, unsure].map(({ id }) => id)
		await sql`
			update users set email_verified = id <> ${unsure.id}, left_campus_at = now() - interval '50 days' where id = any(${ids}::int[])`.execute(
			db(),
		)
		await sql`update users set second_email = 'openly@home.example' where id = ${open.id}`.execute(db())
		await sql`update users set email = 'unsurely@home.example' where id = ${unsure.id}`.execute(db())
		await deleteForgotten()
		expect(await Promise.all([shut, open, unsure].map(isLeaving))).toEqual([false, true, false])
		expect(await queuedMails('openly@home.example')).toMatchObject([
			{ text: expect.stringMatching(/^(?!.*@openly).*new password at \S+\/forgot-password/s) },
		])
		expect((await getLeavers(admin)).rule).toMatch('such accounts stay')
		await saveSettings(admin, 'campus-leavers', { after: 'keep' })
	})

	test('an address that nobody has confirmed gets no link', async () => {
		const { id } = await makeMember('unsure')
		await sql`update users set email_verified = false, left_campus_at = now() where id = ${id}`.execute(db())
		expect(await reset('unsure@campus.example')).toBe(false)
	})
})
