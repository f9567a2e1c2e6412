import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiesOf } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { saveSettings } from '../../../tests/support/login-visits.ts'
import { listLogins, unlinkIdentity, verifiedLinks } from './linked-logins.server.ts'
import { beginFlow, finishFlow } from './login-flow.server.ts'

/* A stub of GitHub that follows its documentation, at the address that the settings allow for a GitHub Enterprise Server. */

useDatabase()

interface Github {
	user: { id: number; login: string; name: string | null }
	emails: { email: string; primary: boolean; verified: boolean }[]
	/** The response to the code, instead of a token. */
	refusal?: { error: string }
}

let github: Github
/** Of this GitHub, a server of the campus. */
let address: string
/** Requests with their credentials. */
const asked: string[] = []
const server = createServer(async (request, response) => {
	let body = ''
	for await (const part of request) body += part
	asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body}`)
	const answers: Record<string, unknown> = {
		'/login/oauth/access_token': github.refusal ?? { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user' },
		'/api/v3/user': github.user,
		'/api/v3/user/emails': github.emails,
	}
	response.setHeader('Content-Type', 'application/json; charset=utf-8')
	response.end(JSON.stringify(answers[request.url ?? ''] ?? {}))
})

beforeAll(async () => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const admin: SignedIn = await makeMember('admin', 'admin')
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	const app = { githubId: 'an id', 'password-githubSecret': 'a secret' }
	await saveSettings(admin, 'other-logins', { ...app, githubAddress: address })
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

beforeEach(() => {
	asked.length = 0
	github = {
		user: { id: 7, login: 'ada-l', name: 'Ada L' },
		emails: [
			{ email: 'old@example.com', primary: false, verified: true },
			{ email: 'Ada@Example.com', primary: true, verified: true },
		],
	}
})

async function logIn() {
	const begun = await beginFlow('github', { viewer: null, linkTo: null, redirectTo: '/forum', ip: '' })
	const url = new URL(begun.url)
	const back = new URL(url.searchParams.get('redirect_uri') ?? '')
	back.search = String(new URLSearchParams({ code: 'a code', state: url.searchParams.get('state') ?? '' }))
	const returned = new Request(back, { headers: { Cookie: cookiesOf(begun.headers) } })
	const { headers, message } = await finishFlow('github', returned, null, '')
	const returning = new Request(back, { headers: { Cookie: cookiesOf(headers) } })
	const { viewer } = await viewerFromRequest(returning, { fresh: true })
	return { url, message, viewer }
}

test('a login with GitHub is identified by id, with the confirmed primary address, and verifies the link on the profile', async () => {
	const { url, viewer, message } = await logIn()
	expect([url.pathname, url.searchParams.get('scope'), url.searchParams.get('code_challenge_method')]).toEqual([
		...['/login/oauth/authorize', 'read:user user:email', 'S256'],
	])
	expect([message, viewer?.username, viewer?.name]).toEqual(['Welcome!', 'ada-l', 'Ada L'])
	expect(asked[0]).toContain('code=a+code')
	expect(asked[0]).toContain('code_verifier=')
	expect(asked[1]).toMatch(/^GET \/api\/v3\/user(\/emails)? Bearer gho_1/i)
	expect(await verifiedLinks(viewer?.id ?? 0)).toEqual([{ site: 'github', url: `${address}/ada-l` }])
	// The login may change; the id does not.
	github.user = { id: 7, login: 'ada-lovelace', name: null }
	const again = await logIn()
	expect([again.message, again.viewer?.id]).toEqual(['Welcome back!', viewer?.id])
	expect(await verifiedLinks(viewer?.id ?? 0)).toEqual([{ site: 'github', url: `${address}/ada-lovelace` }])
})

test('a member who removes GitHub ends the sessions that began by it, except the present one', async () => {
	const { viewer } = await logIn()
	if (!viewer) throw new Error('not logged in')
	await logIn()
	const sessions = async () => {
		const { rows } = await sql<{
			id: number
		}>`select id from sessions where user_id = ${viewer.id} order by id`.execute(db())
		return rows.map(({ id }) => id)
	}
	const [kept = 0, ...others] = await sessions()
	expect(others).not.toEqual([])
	await sql`
		insert into credentials (user_id, account_id, provider_id, password) values (${viewer.id}, '1', 'credential', 'x')`.execute(
		db(),
	)
	const [{ id = 0 } = {}] = (await listLogins(viewer)).linked
	await unlinkIdentity(viewer, id, kept)
	expect(await sessions()).toEqual([kept])
})

test.each<[string, () => void, RegExp]>([
	[
		'another account with the same address',
		() => {
			github.user = { id: 8, login: 'mallory', name: null }
		},
		/^There is already an account/,
	],
	[
		'a primary address that is not confirmed',
		() => {
			github.user.id = 9
			github.emails = [{ email: 'x@example.com', primary: true, verified: false }]
		},
		/^No email address came/,
	],
	[
		'a code that it refuses',
		() => {
			github.refusal = { error: 'bad_verification_code' }
		},
		/^GitHub gave an answer/,
	],
	[
		'nobody',
		() => {
			github.user = {} as Github['user']
		},
		/^GitHub did not say who you are/,
	],
])('%s is refused', async (_what, change, message) => {
	change()
	await expect(logIn()).rejects.toThrow(message)
})
