import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { logIn } from '~/features/accounts/login.server.ts'
import { confirmAddress } from '~/features/accounts/registration/registrations.server.ts'
import { requestPasswordReset, resetPassword } from '~/features/accounts/security/change-password.server.ts'
import { hashPassword } from '~/features/accounts/security/credentials.server.ts'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { saveImportedAuthors } from '~/features/import/import.queries.server.ts'
import { listSecurityEvents } from '~/features/sessions/security-log.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { cookiesOf, form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mailedToken, resetCounts, sentMails, useJobTables } from '../../../tests/support/jobs.ts'
import { registerMember } from '../accounts/accounts.server.ts'
import { findUsernames } from '../asking/mentions.queries.server.ts'
import { listLogins } from '../campus-login/linked-logins.server.ts'
import { requirePairState } from '../conversations/conversations.server.ts'
import { listPasskeys } from '../passkeys/passkeys.server.ts'
import { countNewMatches } from '../search/search.server.ts'
import { beginEmailChangeLink, mailEmailChangeLink } from './emails/email-mails.server.ts'
import {
	cancelEmailChange,
	confirmEmail,
	findChange,
	findUndo,
	getEmails,
	removeSecondEmail,
	requestConfirmation,
	requestEmailChange,
	resendEmail,
	swapEmails,
	undoEmailChange,
} from './emails/emails.server.ts'
import { redirectToCurrentName, rewriteFormerName } from './usernames/former-names.server.ts'
import { changeUsername, getNextRename } from './usernames/usernames.server.ts'

useDatabase()
useJobTables()

const password = 'a lantern at the ford'
let made = 0
let mira: SignedIn

beforeEach(async () => {
	await resetCounts()
	mira = await member()
})

/** A member with a confirmed address and a password. */
async function member(): Promise<SignedIn> {
	made += 1
	const one = await makeMember(`mira${made}`)
	await sql`update users set email_verified = true where id = ${one.id}`.execute(db())
	await sql`insert into credentials (user_id, account_id, provider_id, password)
		values (${one.id}, ${String(one.id)}, 'credential', ${await hashPassword(password)})`.execute(db())
	return one
}

const addressOf = (one: SignedIn) => `${one.username}@campus.example`

async function cookieOf(email: string, secret = password): Promise<string> {
	return cookiesOf(await logIn(form({ email, password: secret }), request()))
}

const viewerOf = async (cookie: string) => (await viewerFromRequest(request(cookie), { fresh: true })).viewer

/** Requests an address, runs the job, and reads the token from the mail. */
async function linkFor(one: SignedIn, email: string, place: 'email' | 'second_email'): Promise<string> {
	await requestEmailChange(one, { email, place })
	await mailEmailChangeLink({ userId: one.id })
	return mailedToken(email)
}

describe('a new address', () => {
	test('takes effect when the member follows its link; the old address is notified, and pending password links become invalid', async () => {
		await requestPasswordReset(form({ email: addressOf(mira) }), request())
		const reset = await mailedToken(addressOf(mira))
		const token = await linkFor(mira, 'Mira@Home.example', 'email').then(() => mailedToken('mira@home.example'))
		expect(await getEmails(mira)).toMatchObject({ email: addressOf(mira), pending: { email: 'mira@home.example' } })
		await expect(findChange(await member(), token)).rejects.toThrow('Another member requested this link')
		await expect(confirmEmail(await member(), token)).rejects.toThrow('Another member requested this link')
		expect(await confirmEmail(mira, token)).toBe('mira@home.example')
		expect(await getEmails(mira)).toMatchObject({ email: 'mira@home.example', isConfirmed: true, pending: null })
		await expect(confirmEmail(mira, token)).rejects.toThrow('This link has expired')
		await expect(cookieOf(addressOf(mira))).rejects.toThrow('The email or password is wrong.')
		expect((await viewerOf(await cookieOf('mira@home.example')))?.id).toBe(mira.id)
		const told = (await sentMails(addressOf(mira))).at(-1)
		expect(told?.subject).toBe('Your address at DevQuad was changed')
		// The old mailbox, which somebody else may read, does not learn the new address.
		expect(told?.text).not.toContain('mira@home.example')
		const set = resetPassword(
			form({ token: reset, password: 'some other one', confirmPassword: 'some other one' }),
			request(),
		)
		await expect(set).rejects.toThrow('This link has been used')
		expect((await listSecurityEvents(mira)).map(({ text }) => text)).toContain('Changed the email addresses')
	})

	test('can be undone for a week: the addresses are restored, sessions and password are revoked, and a link for a new password is mailed', async () => {
		const token = await linkFor(mira, 'thief@home.example', 'email')
		await confirmEmail(mira, token)
		const cookie = await cookieOf('thief@home.example')
		// Further changes by the thief do not prevent the undo.
		await confirmEmail(mira, await linkFor(mira, 'second@home.example', 'second_email'))
		await swapEmails(mira, 'second@home.example')
		const undo = await mailedToken(addressOf(mira))
		expect(await findUndo(undo)).toEqual({ username: mira.username, email: addressOf(mira) })
		const [first, again] = await Promise.allSettled([undoEmailChange(undo), undoEmailChange(undo)])
		expect([first, again].filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		expect(await getEmails(mira)).toMatchObject({ email: addressOf(mira), second: null })
		expect(await viewerOf(cookie)).toBeNull()
		await expect(cookieOf(addressOf(mira))).rejects.toThrow('The email or password is wrong.')
		// The links mailed to the thief's own address are invalid now.
		await expect(undoEmailChange(await mailedToken('thief@home.example'))).rejects.toThrow(
			'has been used or has expired',
		)
		const next = 'another lantern at the ford'
		const reset = await mailedToken(addressOf(mira))
		expect((await sentMails('thief@home.example')).at(-1)?.subject).not.toBe('Set a new password for DevQuad')
		await resetPassword(form({ token: reset, password: next, confirmPassword: next }), request())
		expect((await viewerOf(await cookieOf(addressOf(mira), next)))?.id).toBe(mira.id)
	})

	test('an undo removes the passkeys and the logins of other sites, which a thief may have added', async () => {
		await confirmEmail(mira, await linkFor(mira, 'taker@home.example', 'email'))
		await sql`insert into passkeys (user_id, credential_id, public_key, name)
			values (${mira.id}, 'taker', '\\x00', 'Taker')`.execute(db())
		await sql`insert into identities (user_id, provider, issuer, subject)
			values (${mira.id}, 'github', 'https://github.com', 'taker')`.execute(db())
		await undoEmailChange(await mailedToken(addressOf(mira)))
		expect(await listPasskeys(mira)).toEqual([])
		expect((await listLogins(mira)).linked).toEqual([])
	})

	test('an undo link expires after a week', async () => {
		await confirmEmail(mira, await linkFor(mira, `late${made}@home.example`, 'email'))
		await sql`update email_undos set expires_at = now() where user_id = ${mira.id}`.execute(db())
		await expect(undoEmailChange(await mailedToken(addressOf(mira)))).rejects.toThrow('has been used or has expired')
	})

	test('the response does not reveal whether an address has an account; its owner is notified, and nothing can be confirmed', async () => {
		const other = await member()
		for (const email of [addressOf(other), `nobody${made}@home.example`]) {
			expect(await requestEmailChange(mira, { email, place: 'email' })).toBe(email)
			expect((await getEmails(mira)).pending).toEqual({ email, place: 'email' })
			await mailEmailChangeLink({ userId: mira.id })
		}
		const told = (await sentMails(addressOf(other))).at(-1)
		expect(told?.subject).toBe('This address already has an account at DevQuad')
		expect(told?.text).not.toContain('token=')
	})

	test('a link is valid for ten minutes after its mail is sent; for a day the member can request another one', async () => {
		const email = `slow${made}@home.example`
		const token = await linkFor(mira, email, 'email')
		await sql`update email_changes set works_until = now()`.execute(db())
		// The mail was delayed: the lifetime starts when it is sent.
		expect(await beginEmailChangeLink(token)).toBe(true)
		expect(await findChange(mira, token)).toEqual({ email, place: 'email', isOver: false })
		await sql`update email_changes set works_until = works_until - interval '10 minutes'`.execute(db())
		expect(await findChange(mira, token)).toMatchObject({ isOver: true })
		await expect(confirmEmail(mira, token)).rejects.toThrow('works for 10 minutes')
		expect(await resendEmail(mira)).toBe(email)
		await mailEmailChangeLink({ userId: mira.id })
		await expect(confirmEmail(mira, token)).rejects.toThrow('This link has expired')
		expect(await beginEmailChangeLink(token)).toBe(false)
		expect(await confirmEmail(mira, await mailedToken(email))).toBe(email)
		await expect(resendEmail(mira)).rejects.toThrow('No address waits')
		await linkFor(mira, `later${made}@home.example`, 'email')
		await sql`update email_changes set expires_at = now()`.execute(db())
		await expect(resendEmail(mira)).rejects.toThrow('No address waits')
	})

	test('of two members who confirm the same address concurrently, one gets it', async () => {
		const other = await member()
		const email = `shared${made}@home.example`
		const tokens = [await linkFor(mira, email, 'email'), await linkFor(other, email, 'second_email')]
		const both = await Promise.allSettled([confirmEmail(mira, tokens[0] ?? ''), confirmEmail(other, tokens[1] ?? '')])
		expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
		expect(String(lost.reason)).toContain('cannot be used for your account any more')
	})

	test.each<[string, Record<string, string>, string | RegExp]>([
		['no address', { email: 'x', place: 'email' }, 'Enter a valid email address.'],
		['nothing', { email: '', place: 'email' }, 'Email is required!'],
		['another place', { email: 'a@b.example', place: 'role' }, /Reload/],
		['a demo account’s address', { email: 'mira.quillon@eastmere.example', place: 'email' }, /demo account/],
	])('%s is refused', async (_what, input, message) => {
		await expect(requestEmailChange(mira, input)).rejects.toThrow(message)
	})

	test('limits: five requests a day per member, three mails an hour per mailbox', async () => {
		for (let time = 0; time < 5; time += 1) {
			await requestEmailChange(mira, { email: `often+${time}@home.example`, place: 'email' })
			await mailEmailChangeLink({ userId: mira.id })
		}
		await expect(requestEmailChange(mira, { email: 'often@home.example', place: 'email' })).rejects.toThrow(
			'Too many attempts.',
		)
		const mails = (await sentMails()).filter(({ to }) => to.startsWith('often'))
		expect(mails).toHaveLength(3)
	})

	test('a cancelled or replaced request cannot be confirmed', async () => {
		const first = await linkFor(mira, `first${made}@home.example`, 'email')
		const second = await linkFor(mira, `second${made}@home.example`, 'email')
		await expect(confirmEmail(mira, first)).rejects.toThrow('This link has expired')
		await cancelEmailChange(mira)
		await expect(confirmEmail(mira, second)).rejects.toThrow('This link has expired')
	})
})

describe('a personal address besides that of the campus', () => {
	test('logs in, receives password links, and keeps the account when the campus closes its mailbox', async () => {
		const home = `home${made}@mail.example`
		await confirmEmail(mira, await linkFor(mira, home, 'second_email'))
		expect(await getEmails(mira)).toMatchObject({ email: addressOf(mira), second: home })
		for (const email of [addressOf(mira), home]) expect((await viewerOf(await cookieOf(email)))?.id).toBe(mira.id)
		await requestPasswordReset(form({ email: home }), request())
		expect((await sentMails(home)).at(-1)?.subject).toBe('Set a new password for DevQuad')
		await swapEmails(mira, home)
		await removeSecondEmail(mira, addressOf(mira))
		expect(await getEmails(mira)).toMatchObject({ email: home, second: null, isConfirmed: true })
		await expect(cookieOf(addressOf(mira))).rejects.toThrow('The email or password is wrong.')
	})

	test('a double click, or a tab from before a change, acts on the address that its button names', async () => {
		const [first, home] = [addressOf(mira), `two-tabs${made}@mail.example`]
		await confirmEmail(mira, await linkFor(mira, home, 'second_email'))
		const before = await sentMails(first)
		await Promise.all([swapEmails(mira, home), swapEmails(mira, home)])
		expect(await getEmails(mira)).toMatchObject({ email: home, second: first })
		expect(await sentMails(first)).toHaveLength(before.length + 1)
		await expect(removeSecondEmail(mira, home)).rejects.toThrow('changed in another tab')
		await removeSecondEmail(mira, first)
		await removeSecondEmail(mira, first)
		await expect(swapEmails(mira, first)).rejects.toThrow('changed in another tab')
		expect(await getEmails(mira)).toMatchObject({ email: home, second: null })
	})

	test('cannot be registered by anybody else', async () => {
		const home = `taken${made}@mail.example`
		await confirmEmail(mira, await linkFor(mira, home, 'second_email'))
		const fields = { name: 'Somebody Else', email: home, password, confirmPassword: password }
		expect((await registerMember(form(fields), request())).email).toBe(home)
		expect((await sentMails(home)).at(-1)?.subject).toBe('You already have an account at DevQuad')
		const { rows } = await sql`select from account_emails where email = ${home} and user_id <> ${mira.id}`.execute(db())
		expect(rows).toEqual([])
	})

	test('requires a confirmed first address: a password link to the second one does not confirm the first', async () => {
		await sql`update users set email_verified = false, second_email = ${`own${made}@mail.example`} where id = ${mira.id}`.execute(
			db(),
		)
		await sql`insert into identities (user_id, provider, issuer, subject)
			values (${mira.id}, 'github', 'https://github.com', 'mine')`.execute(db())
		await requestPasswordReset(form({ email: `own${made}@mail.example` }), request())
		await resetPassword(
			form({ token: await mailedToken(`own${made}@mail.example`), password, confirmPassword: password }),
			request(),
		)
		expect([(await getEmails(mira)).isConfirmed, (await listLogins(mira)).linked.length]).toEqual([false, 1])
		await sql`update users set second_email = null where id = ${mira.id}`.execute(db())
		await expect(requestEmailChange(mira, { email: 'own@mail.example', place: 'second_email' })).rejects.toThrow(
			'Confirm your first address',
		)
		expect(await getEmails(mira)).toMatchObject({ isConfirmed: false, mayConfirm: true })
		expect(await requestConfirmation(mira)).toBe(addressOf(mira))
		await confirmAddress({ token: await mailedToken(addressOf(mira)), password }, request())
		expect(await getEmails(mira)).toMatchObject({ isConfirmed: true, mayConfirm: false })
		expect(await requestEmailChange(mira, { email: 'own@mail.example', place: 'second_email' })).toBe(
			'own@mail.example',
		)
	})

	test('stores only hashes of tokens', async () => {
		const token = await linkFor(mira, `hash${made}@mail.example`, 'second_email')
		const { rows } = await sql<{ token_hash: string }>`
			select token_hash from email_changes where user_id = ${mira.id}`.execute(db())
		expect(rows).toEqual([{ token_hash: hashToken(token) }])
	})
})

describe('a new username', () => {
	const redirectOf = async (path: string) => {
		const url = new URL(path, 'http://localhost:3000')
		const answer = await redirectToCurrentName({ request: new Request(url), url }).catch((thrown: Response) => thrown)
		return answer ? [answer.status, answer.headers.get('Location')] : null
	}

	test('redirects every address, mention, search and message with the old one, which nobody else can take', async () => {
		const [from, to] = [mira.username, `quill.${made}`]
		const other = await member()
		await makeQuestion(mira)
		expect(await changeUsername(mira, { username: ` @${to.toUpperCase()} ` })).toBe(to)
		for (const path of [
			'/find-dev/X',
			'/find-dev/X.json',
			'/find-dev/X/card.png',
			'/my-profile/X',
			'/edit-profile/X/academics',
		])
			expect(await redirectOf(`${path.replace('X', from)}?a=b`), path).toEqual([301, `${path.replace('X', to)}?a=b`])
		expect(await redirectOf(`/messages/${from.toUpperCase()}`)).toEqual([301, `/messages/${to}`])
		expect(await redirectOf(`/find-dev/${to}`)).toBeNull()
		expect(await redirectOf(`/forum/others/${from}/1`)).toBeNull()
		const sent = new Request(`http://localhost:3000/messages/${from}/wire`, { method: 'POST', body: 'hello' })
		const seen = await rewriteFormerName(sent)
		expect([seen.url, await seen.text()]).toEqual([`http://localhost:3000/messages/${to}/wire`, 'hello'])
		expect((await requirePairState(other, from)).username).toBe(to)
		expect(await findUsernames([from, to, 'nobody'])).toEqual(new Set([from, to]))
		const all = { among: sql<number>`(select id from questions)`, reader: other.id }
		expect(await countNewMatches(`user:${from} question`, all)).toBe(1)
		await expect(changeUsername(other, { username: from })).rejects.toThrow('belonged to somebody else before')
		const made2 = await saveImportedAuthors(db(), [{ username: from, name: 'X', email: 'x@import.invalid' } as never])
		expect(made2.get(from)).toBe(mira.id)
		await registerMember(
			form({ name: 'Somebody', email: `${from}@other.example`, password, confirmPassword: password }),
			request(),
		)
		const { rows: named } = await sql<{ username: string }>`
			select username from users where email = ${`${from}@other.example`}`.execute(db())
		expect(named[0]?.username).not.toBe(from)
		// The login page accepts it too.
		expect((await viewerOf(await cookieOf(from)))?.username).toBe(to)
	})

	test('can be changed again after 30 days, even back to a former one', async () => {
		const first = mira.username
		await changeUsername(mira, { username: `second.${made}` })
		await expect(changeUsername(mira, { username: first })).rejects.toThrow(/You can change your username again on/)
		expect(await getNextRename(mira)).not.toBeNull()
		await sql`update users set renamed_at = now() - interval '31 days' where id = ${mira.id}`.execute(db())
		expect(await getNextRename(mira)).toBeNull()
		expect(await changeUsername(mira, { username: first })).toBe(first)
		expect(await redirectOf(`/find-dev/${first}`)).toBeNull()
		expect(await redirectOf(`/find-dev/second.${made}`)).toEqual([301, `/find-dev/${first}`])
	})

	test('of two members who choose the same name concurrently, one gets it', async () => {
		const other = await member()
		const username = `wanted.${made}`
		const both = await Promise.allSettled([mira, other].map((one) => changeUsername(one, { username })))
		expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
		expect(String(lost.reason)).toContain('This username is taken')
	})

	test.each([
		['', 'Type a username.'],
		['mira quill', /lower-case letters/],
		['mïra', /lower-case letters/],
		['...', /at least one letter/],
		['a'.repeat(41), /at most 40/],
		['settings', /reserved/],
		['mira.json', /reserved/],
		['moderator7', /looks like that of a staff member/],
	])('%j is refused', async (username, message) => {
		await expect(changeUsername(mira, { username })).rejects.toThrow(message)
	})

	test('a suspended member cannot choose another one', async () => {
		await sql`update users set suspended_until = 'infinity' where id = ${mira.id}`.execute(db())
		await expect(changeUsername(mira, { username: `new.${made}` })).rejects.toThrow('permanently suspended')
	})
})
