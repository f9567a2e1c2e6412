import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { logIn } from '~/features/accounts/login.server.ts'
import { loginMethods } from '~/features/accounts/login-methods.server.ts'
import { features } from '~/features/index.server.ts'
import { Conflict, Invalid } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { encryptSecret } from '~/platform/encryption.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiePairs, form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { requestOf, saveSettings } from '../../../tests/support/login-visits.ts'
import { type CampusSite, startCampus } from '../../../tests/support/oidc-site.ts'
import { describeLockout, describeOpenLogin } from './lockout.server.ts'
import { beginFlow, finishFlow } from './login-flow.server.ts'
import { roleSettings } from './shared-settings.ts'

/* Validation of the settings, with messages at the fields. */

useDatabase()

let campus: CampusSite
let admin: SignedIn

beforeAll(async () => {
	campus = await startCampus(`${config().publicUrl}/login/campus/callback`)
	admin = await makeMember('admin', 'admin')
})

afterAll(() => campus.stop())

async function save(input: Record<string, string>): Promise<void> {
	const { issuer, clientId, clientSecret } = campus
	const sent = { isOn: 'on', issuer, clientId, 'password-clientSecret': clientSecret }
	await saveSettings(admin, 'campus-login', { ...sent, ...input })
}

test.each(['', 'common', 'Organizations', 'CONSUMERS'])(
	'the directory %j, by which anybody at Microsoft could log in, is refused',
	async (microsoftTenant) => {
		const saved = saveSettings(admin, 'other-logins', { microsoftId: 'a-client', microsoftTenant })
		await expect(saved).rejects.toThrow('Enter the id of your own directory.')
	},
)

const wrongSites: [string, RequestListener, RegExp][] = [
	['something that is no JSON', (_, response) => response.end('<html>'), /^The server at this address/],
	[
		'another issuer',
		(_, response) =>
			response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ issuer: 'https://evil.example' })),
		/^The server at this address/,
	],
	[
		'a redirect',
		(_, response) => response.writeHead(302, { Location: `${'http://127.0.0.1:1'}/` }).end(),
		/^The server at this address/,
	],
	['an error', (_, response) => response.writeHead(500).end('no'), /^The server at this address/],
	['no end', (_, response) => void response.write('x'.repeat(600_000)), /^Nothing answered/],
	['nothing', () => {}, /^Nothing answered/],
]
test.each(wrongSites)(
	'a form that names a site which answers with %s is not saved',
	async (_what, listener, message) => {
		const shorter = vi.spyOn(AbortSignal, 'timeout')
		shorter.mockImplementation(() => {
			const controller = new AbortController()
			setTimeout(() => controller.abort(new Error('too late')), 300)
			return controller.signal
		})
		const server = createServer(listener).listen(0, '127.0.0.1')
		await new Promise((resolve) => server.once('listening', resolve))
		const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
		const error = await save({ issuer }).catch((thrown: unknown) => thrown)
		expect(error).toBeInstanceOf(Invalid)
		expect(error).toMatchObject({ fields: { issuer: expect.stringMatching(message) } })
		server.closeAllConnections()
		server.close()
	},
)

test.each<[Record<string, string>, string]>([
	[{ issuer: 'http://login.eastmere.example' }, 'issuer'],
	[{ issuer: 'login.eastmere.example' }, 'issuer'],
	[{ 'password-clientSecret': 'another secret' }, 'password-clientSecret'],
	[{ clientId: 'another' }, 'password-clientSecret'],
	[{ scope: 'profile email' }, 'scope'],
	[{ isOn: '', onlyWay: 'on' }, 'onlyWay'],
	[{ issuer: 'https://accounts.google.com' }, 'requiredClaim'],
	[{ issuer: 'https://login.microsoftonline.com/Common/v2.0' }, 'requiredClaim'],
	[{ issuer: 'https://login.microsoftonline.com/common/v2.0', requiredClaim: 'tid' }, 'requiredValue'],
])('a form with %j is refused at %s', async (input, field) => {
	const error = await save(input).catch((thrown: unknown) => thrown)
	expect(error).toBeInstanceOf(Invalid)
	expect(Object.keys((error as Invalid).fields)).toEqual([field])
})

test('only people with the claim that members must have can log in', async () => {
	await save({ requiredClaim: 'role', requiredValue: 'Student' })
	const visit = async (role: string) => {
		campus.visitor = role
		campus.accounts.set(role, { sub: role, email: `${role}@eastmere.example`, role })
		const begun = await beginFlow('campus', { viewer: null, linkTo: null, redirectTo: '', ip: '' })
		const { pathname, search } = new URL(await campus.visit(begun.url))
		return finishFlow('campus', requestOf(pathname + search, cookiePairs(begun.headers)), null, '')
	}
	await expect(visit('visitor')).rejects.toThrow('The campus login says that this account does not belong to')
	expect((await visit('student')).message).toBe('Welcome!')
	await save({ requiredClaim: '', requiredValue: '' })
})

test('where the only login has a secret of another key, the start says so, and what to do', async () => {
	const saved = (stored: Record<string, string>) => [
		{ section: 'directory-login', texts: { isOn: 'on', onlyWay: 'on', ...stored } },
	]
	const readable = encryptSecret('site_settings directory-login bindPassword', 'a password')
	expect(describeLockout(saved({ bindPassword: readable }))).toBeNull()
	expect(describeLockout(saved({}))).toBeNull()
	const lost = { bindPassword: encryptSecret('another purpose', 'a password') }
	expect(describeLockout(saved({ ...lost, onlyWay: '' }))).toBeNull()
	expect(describeLockout(saved({ ...lost, isOn: '' }))).toBeNull()
	const words = describeLockout(saved(lost))
	expect(words).toMatch(
		/^Login by LDAP is the only way in, .+ CAMPUS_LOGIN_ONLY=false, .+\/admin\/settings\/directory-login\.$/,
	)
	const error = vi.spyOn(log, 'error')
	await sql`
		insert into site_settings (section, version, texts)
		values ('directory-login', 1, ${JSON.stringify(saved(lost)[0]?.texts)}::jsonb)`.execute(db())
	await features.find(({ name }) => name === 'campus-login')?.start?.()
	expect(error.mock.calls).toEqual([[words]])
	await sql`delete from site_settings where section = 'directory-login'`.execute(db())
})

test('it can be the only login once an admin has logged in with it, which disables passwords', async () => {
	const byPassword = () => logIn(form({ email: 'admin@quad.example', password: 'a password that is long' }), request())
	await expect(save({ onlyWay: 'on' })).rejects.toThrow(Conflict)
	await sql`
		insert into identities (user_id, provider, issuer, subject) values (${admin.id}, 'campus', ${campus.issuer}, 'a')`.execute(
		db(),
	)
	// Linking is not enough: an admin must have logged in.
	await expect(save({ onlyWay: 'on' })).rejects.toThrow(Conflict)
	expect(loginMethods().hasPasswords).toBe(true)
	await sql`update identities set used_at = now() where user_id = ${admin.id}`.execute(db())
	await save({ onlyWay: 'on' })
	expect(loginMethods()).toEqual({
		buttons: [{ name: 'campus', label: 'Log in with your campus account' }],
		hasPasswords: false,
	})
	await expect(byPassword()).rejects.toThrow('Passwords are switched off on this site.')
	// The environment variable re-enables passwords.
	vi.spyOn(config().given, 'has').mockImplementation((name) => name === 'CAMPUS_LOGIN_ONLY')
	config().CAMPUS_LOGIN_ONLY = false
	await save({ label: 'Campus' })
	await expect(byPassword()).rejects.toThrow('The email or password is wrong.')
})

test.each([
	['student, Alum , ,', ['student', 'alum']],
	['cn=Students,ou=groups,dc=campus\r\nstudent, alum', ['cn=students,ou=groups,dc=campus', 'student', 'alum']],
	['cn=a,dc=b\ncn=c,dc=b', ['cn=a,dc=b', 'cn=c,dc=b']],
])('the roles %j are separated at commas, except those of a DN', (text, roles) => {
	expect(roleSettings.studentRoles.schema.parse(text)).toEqual(roles)
})

test('where an issuer that is open to anybody was saved without the claim that members must have, the start says so', async () => {
	const saved = (stored: Record<string, string>) => [
		{ section: 'campus-login', texts: { isOn: 'on', issuer: 'https://accounts.google.com', ...stored } },
	]
	const harmless = { isOn: '', requiredClaim: 'hd', issuer: campus.issuer }
	for (const [name, text] of Object.entries(harmless)) expect(describeOpenLogin(saved({ [name]: text }))).toBeNull()
	expect(describeOpenLogin([])).toBeNull()
	expect(describeOpenLogin(saved({}))).toMatch(/anybody can log in.+\/admin\/settings\/campus-login\.$/)
})
