import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import { Conflict, NotAllowed, NotFound, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { getSetup, hideSetup, keepSetupDefault, sendTestMail } from './setup.server.ts'
import type { SetupKey } from './setup.view.ts'

/** A stub mail server that accepts mail to anybody but `refused`. Hoisted, as modules read the settings when they are loaded. */
const { server, mails, refused } = await vi.hoisted(async () => {
	const { SMTPServer } = await import('smtp-server')
	const refused = new Set<string>()
	const mails: string[] = []
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS', 'AUTH'],
		onRcptTo: ({ address }, _session, answer) => answer(refused.has(address) ? new Error('No such mailbox') : null),
		onData: (stream, _session, answer) => {
			stream.on('data', (chunk) => mails.push(String(chunk))).on('end', () => answer())
		},
	})
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	const address = server.server.address()
	process.env.SMTP_URL = `smtp://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
	return { server, mails, refused }
})

useDatabase()

let admin: SignedIn
let other: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	other = await makeMember('other', 'moderator')
})
afterAll(() => new Promise<void>((done) => server.close(done)))

const standing = async (key: SetupKey) => (await getSetup(admin)).steps.find((step) => step.key === key)
const emailOf = async ({ id }: SignedIn) =>
	(await db().selectFrom('users').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email

test('shows admins the checklist of a new site', async () => {
	const { steps, done, isHidden } = await getSetup(admin)
	expect(steps.map(({ key, state }) => `${key} ${state}`)).toEqual([
		...[
			'name usual',
			'logo usual',
			'colour usual',
			'region usual',
			'mail open',
			'registration usual',
			'categories usual',
			'terms usual',
			'backup usual',
		],
		'second-admin open',
	])
	expect([done, isHidden]).toEqual([0, false])
	for (const act of [getSetup, sendTestMail, (who: SignedIn) => keepSetupDefault(who, 'name', true)])
		await expect(act(other)).rejects.toThrow(NotAllowed)
	await expect(hideSetup(admin, true)).rejects.toThrow('Some steps are still open.')
	await expect(keepSetupDefault(admin, 'second-admin', true)).rejects.toThrow(Conflict)
	await expect(keepSetupDefault(admin, 'nothing', true)).rejects.toThrow(NotFound)
})

test('an admin whom the campus no longer knows is no second one', async () => {
	const graduate = await makeMember('graduate', 'admin')
	const state = async () => (await getSetup(admin)).steps.find(({ key }) => key === 'second-admin')?.state
	expect(await state()).toBe('done')
	await sql`update users set absent_since = now() where id = ${graduate.id}`.execute(db())
	expect(await state()).toBe('open')
	await sql`delete from users where id = ${graduate.id}`.execute(db())
})

test('of two admins who keep the same step the second gets a conflict; a completed step cannot be kept', async () => {
	const both = await Promise.allSettled([keepSetupDefault(admin, 'name', true), keepSetupDefault(admin, 'name', true)])
	expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	expect((await standing('name'))?.state).toBe('kept')
	await saveSection(admin, 'name', { name: ' Eastmere  Quad ', version: '1' })
	expect(siteName()).toBe('Eastmere Quad')
	expect(await standing('name')).toMatchObject({ state: 'done', words: 'The site is called “Eastmere Quad”.' })
	await expect(keepSetupDefault(admin, 'name', false)).rejects.toThrow('Someone else has already decided this.')
	await expect(saveSection(admin, 'name', { name: ' ', version: '2' })).rejects.toThrow('Enter a name.')
})

test('a test email tells what the mail server said, and counts for this server alone', async () => {
	refused.add(await emailOf(admin))
	await expect(sendTestMail(admin)).rejects.toThrow(
		/refuses the sender \(MAIL_FROM\) or the recipient\..*No such mailbox/,
	)
	expect((await standing('mail'))?.state).toBe('open')
	refused.clear()
	expect(await sendTestMail(admin)).toBe(await emailOf(admin))
	expect(mails.join()).toContain('Subject: Test email from Eastmere Quad')
	expect((await standing('mail'))?.words).toMatch(/^The mail server accepted an email to \S+ and said: 250 /)
	await sql`update setup_marks set about = 'smtp://another' where step = 'mail'`.execute(db())
	expect(await standing('mail')).toMatchObject({ state: 'open' })
	for (let sent = 0; sent < 3; sent += 1) await sendTestMail(admin)
	await expect(sendTestMail(admin)).rejects.toThrow(TooManyRequests)
})

test('the complete list can be hidden, and returns when a step is open', async () => {
	for (const key of ['logo', 'colour', 'region', 'registration', 'categories', 'terms', 'backup'])
		await keepSetupDefault(admin, key, true)
	await sql`update users set role = 'admin' where id = ${other.id}`.execute(db())
	await hideSetup(admin, true)
	await expect(hideSetup({ ...other, role: 'admin' }, true)).rejects.toThrow(Conflict)
	expect(await getSetup(admin)).toMatchObject({ done: 10, isHidden: true })
	for (const [column, value] of Object.entries({ suspended_until: 'infinity', absent_since: 'now' })) {
		const set = (to: string | null) =>
			sql`update users set ${sql.ref(column)} = ${to}::timestamptz where id = ${other.id}`.execute(db())
		await set(value)
		expect(await getSetup(admin), column).toMatchObject({ done: 9, isHidden: false })
		await set(null)
	}
	await hideSetup(admin, false)
	expect((await getSetup(admin)).isHidden).toBe(false)
	const { rows } = await sql<{ act: string }>`select distinct act from moderation_log order by act`.execute(db())
	expect(rows.map(({ act }) => act)).toEqual([
		...['change settings', 'hide', 'keep as it is', 'send a test email', 'show'],
	])
})
