import { sql } from 'kysely'
import { RouterContextProvider } from 'react-router'
import { afterAll, beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { registerMember } from '~/features/accounts/accounts.server.ts'
import { action as loginCode } from '~/features/authenticators/routes/login-code.tsx'
import { beginFlow } from '~/features/campus-login/login-flow.server.ts'
import { loader as callback } from '~/features/campus-login/routes/callback.tsx'
import { action as ldap } from '~/features/campus-login/routes/ldap.tsx'
import { action as login } from '~/features/login/routes/login.tsx'
import { addPasskey, beginAdding } from '~/features/passkeys/passkeys.server.ts'
import { action as passkeyLogin } from '~/features/passkeys/routes/passkey-login.tsx'
import { factsContext, viewerContext } from '~/lib/context.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { makeAuthenticator } from '../../../../tests/support/authenticator.ts'
import { cookiesOf, form, request } from '../../../../tests/support/browser.ts'
import { enrolVisitor, offerCampus, startOwnCampus } from '../../../../tests/support/campus-visits.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import {
	baseDn,
	bindDn,
	bindPassword,
	type Directory,
	memberPassword,
	slapd,
	startDirectory,
} from '../../../../tests/support/ldap-site.ts'
import { saveSettings } from '../../../../tests/support/login-visits.ts'
import type { CampusSite } from '../../../../tests/support/oidc-site.ts'
import { setUpApp } from '../../../../tests/support/second-factor.ts'

/* A member who asked for deletion can first choose to keep the account, however they log in. */

useDatabase()
useJobTables()

const site = config().publicUrl
const password = 'a lantern at the ford'
let campus: CampusSite
let directory: Directory | undefined
const authenticator = makeAuthenticator(site)

beforeAll(async () => {
	campus = await startOwnCampus()
	directory = slapd ? await startDirectory(slapd) : undefined
	for (const name of ['leaver', 'other']) await directory?.enrol(name)
	const admin = await makeMember('admin', 'admin')
	await offerCampus(admin, campus)
	if (!directory) return
	const access = { address: directory.address, startTls: '', baseDn, bindDn, 'password-bindPassword': bindPassword }
	await saveSettings(admin, 'directory-login', { isOn: 'on', ...access })
})

afterAll(() => Promise.all([campus.stop(), directory?.stop()]))

/** The arguments of a route's action. */
function sent(path: string, fields: Record<string, string> | null, cookie = '') {
	const url = new URL(path, site)
	const context = new RouterContextProvider()
	context.set(viewerContext, null)
	const facts = {
		requestId: '',
		now: new Date().toISOString(),
		nonce: undefined,
		ip: '192.0.2.1',
		theme: 'system' as const,
	}
	context.set(factsContext, { ...facts, flash: null, shows: [], isViewerUnknown: false })
	const form = fields && { method: 'POST', body: new URLSearchParams(fields) }
	const request = new Request(url, { headers: { 'x-client-ip': '192.0.2.1', Cookie: cookie }, ...form })
	return { request, url, context, params: { provider: 'campus' } } as never
}

/** A way to log in: the response to its last step. */
type Way = (name: string) => Promise<Response>

const byPassword: Way = async (email) => (await login(sent('/login', { email, password }))) as Response
const byCampus: Way = async (sub) => {
	enrolVisitor(campus, { sub, name: sub, preferred_username: sub, email: `${sub}@eastmere.example` })
	const { url, headers } = await beginFlow('campus', { viewer: null, linkTo: null, redirectTo: '', ip: '192.0.2.1' })
	const back = await campus.visit(url)
	return (await callback(sent(back, null, cookiesOf(headers)))) as Response
}
const byDirectory: Way = async (username) =>
	(await ldap(sent('/login/ldap', { username, password: memberPassword }))) as Response
const byPasskey: Way = async () => {
	const asked = (await passkeyLogin(sent('/login/passkey', {}))) as { data: { options: { challenge: string } } }
	const response = authenticator.sign(asked.data.options.challenge)
	return (await passkeyLogin(sent('/login/passkey', { response }))) as Response
}

async function register(email: string): Promise<void> {
	await registerMember(form({ name: 'Leaver', email, password, confirmPassword: password }), request())
}

async function addPasskeyOf(viewer: SignedIn): Promise<void> {
	const name = 'Laptop'
	const { options } = await beginAdding(viewer, form({ name }))
	await addPasskey(viewer, form({ name, response: authenticator.make(options.challenge) }))
}

test.each<{ what: string; name: string; way: Way; before?: Way; hasApp?: boolean }>([
	{ what: 'password', name: 'one@eastmere.example', way: byPassword },
	{ what: 'password and code', name: 'two@eastmere.example', way: byPassword, hasApp: true },
	{ what: 'passkey', name: 'three@eastmere.example', way: byPasskey, before: byPassword },
	{ what: 'campus login', name: 'four', way: byCampus },
	{ what: 'campus login and code', name: 'five', way: byCampus, hasApp: true },
	...(slapd
		? [
				{ what: 'LDAP', name: 'leaver', way: byDirectory },
				{ what: 'LDAP and code', name: 'other', way: byDirectory, hasApp: true },
			]
		: []),
])('by $what', async ({ name, way, before = way, hasApp = false }) => {
	const email = name.includes('@') ? name : `${name}@eastmere.example`
	if (name.includes('@')) await register(email)
	expect((await before(name)).headers.get('Location')).toBe('/find-dev')
	const { rows } = await sql<SignedIn>`
		update users set leaves_at = null where email = ${email} returning id, username, name, image, role`.execute(db())
	const [viewer] = rows
	if (!viewer) throw new Error('There is no such member.')
	if (way === byPasskey) await addPasskeyOf(viewer)
	const code = hasApp ? await setUpApp(viewer) : null
	await sql`update users set leaves_at = now() + interval '9 days' where id = ${viewer.id}`.execute(db())
	const first = await way(name)
	if (!code) return expect([first.status, first.headers.get('Location')]).toEqual([303, '/settings/leave'])
	expect(first.headers.get('Location')).toMatch(/^\/login\/code/)
	const last = (await loginCode(sent('/login/code', { code: code() }, cookiesOf(first.headers)))) as Response
	expect([last.status, last.headers.get('Location')]).toEqual([303, '/settings/leave'])
	expect(cookiesOf(last.headers)).toContain('session=')
})
