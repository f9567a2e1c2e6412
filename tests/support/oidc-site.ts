import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

/*
 * A campus identity provider: the certified `oidc-provider` in this process. Everybody who logs in is the account that the test names; all
 * else is the provider's own behaviour.
 */

export interface CampusAccount {
	sub: string
	name?: string
	preferred_username?: string
	email?: string
	email_verified?: boolean
	role?: string | string[]
}

/** Modifies a token. */
type Forge = (claims: Record<string, unknown>, header: Record<string, unknown>) => void

export interface CampusSite {
	issuer: string
	clientId: string
	clientSecret: string
	/** The accounts. A removed one fails at the next refresh. */
	accounts: Map<string, CampusAccount>
	/** The account in the browser. */
	visitor: string
	/** Rotates the signing keys. @param kid name of the key; a new one by default */
	rotateKeys: (kid?: string) => void
	/** Modifies the claims of ID tokens before they are signed; null leaves them. */
	forge: Forge | null
	/** What the provider sends when this session ended there. @param forge modifies it before it is signed */
	logoutToken: (subject: string, sid: string, forge?: Forge) => Promise<string>
	/** Stops listening, and starts again at the same address. */
	stop: () => Promise<void>
	start: () => Promise<void>
	/** Acts as a browser: follows the address of a login to the callback. @returns the callback's address */
	visit: (url: string) => Promise<string>
}

/** Starts the provider. @param callback the redirect URI */
export async function startCampus(callback: string): Promise<CampusSite> {
	const server = createServer()
	await listen(server, 0)
	const { port } = server.address() as AddressInfo
	const campus: CampusSite = {
		issuer: `http://127.0.0.1:${port}`,
		clientId: 'devquad',
		clientSecret: 'a secret of the campus that is long enough',
		accounts: new Map(),
		visitor: '',
		forge: null,
		rotateKeys: (kid) => serveWith(newKey(kid)),
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve())
				server.closeAllConnections()
			}),
		start: () => listen(server, port),
		visit: (url) => visit(url, callback),
		logoutToken: (subject, sid, forge) => issueLogout(subject, sid, forge),
	}
	let issueLogout: CampusSite['logoutToken']
	function serveWith(key: JsonWebKey) {
		let sent = ''
		const keep: Configuration['fetch'] = async (_url, options) => {
			sent = new URLSearchParams(String(options?.body)).get('logout_token') ?? ''
			return new Response()
		}
		const provider = new Provider(campus.issuer, { ...settings(campus, callback, key), fetch: keep })
		issueLogout = async (subject, sid, forge = () => {}) => {
			const client = await provider.Client.find(campus.clientId)
			await (client as unknown as BackchannelClient).backchannelLogout(subject, sid)
			return forged(sent, key, forge)
		}
		provider.use(async (context, next) => {
			await next()
			const body = context.body as { id_token?: string } | undefined
			if (campus.forge && body?.id_token) body.id_token = forged(body.id_token, key, campus.forge)
		})
		server.removeAllListeners('request')
		const answer = provider.callback()
		server.on('request', async (request, response) => {
			if (!request.url?.startsWith('/interaction/')) return answer(request, response)
			const { prompt, params, session } = await provider.interactionDetails(request, response)
			if (prompt.name === 'login')
				return provider.interactionFinished(request, response, { login: { accountId: campus.visitor } })
			const grant = new provider.Grant({ accountId: String(session?.accountId), clientId: String(params.client_id) })
			grant.addOIDCScope(String(params.scope))
			await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
		})
	}
	serveWith(newKey())
	return campus
}

/** Of the provider's client, which its types leave out. */
interface BackchannelClient {
	backchannelLogout: (subject: string, sid: string) => Promise<unknown>
}

/** The token with other claims, signed with the provider's key. */
function forged(token: string, key: JsonWebKey, forge: Forge): string {
	const [header, claims] = token
		.split('.', 2)
		.map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
	forge(claims ?? {}, header ?? {})
	const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
	const signature = sign('sha256', Buffer.from(signed), createPrivateKey({ key, format: 'jwk' }))
	return `${signed}.${signature.toString('base64url')}`
}

function newKey(kid: string = crypto.randomUUID()): JsonWebKey {
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
	return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
}

function settings(campus: CampusSite, callback: string, key: JsonWebKey): Configuration {
	return {
		clients: [
			{
				client_id: campus.clientId,
				client_secret: campus.clientSecret,
				redirect_uris: [callback],
				grant_types: ['authorization_code', 'refresh_token'],
				backchannel_logout_uri: `${new URL(callback).origin}/login/campus/backchannel-logout`,
				backchannel_logout_session_required: true,
			},
		],
		jwks: { keys: [key] },
		claims: { profile: ['name', 'preferred_username', 'role'], email: ['email', 'email_verified'] },
		cookies: { keys: ['a key of the campus'] },
		features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
		interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
		issueRefreshToken: async () => true,
		ttl: {
			AccessToken: 3_600,
			AuthorizationCode: 60,
			Grant: 86_400,
			IdToken: 3_600,
			Interaction: 600,
			RefreshToken: 86_400,
			Session: 86_400,
		},
		findAccount: async (_context, id) => {
			const account = campus.accounts.get(id)
			return account && { accountId: account.sub, claims: async () => ({ ...account }) }
		},
	}
}

function listen(server: Server, port: number): Promise<void> {
	return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
}

async function visit(url: string, callback: string): Promise<string> {
	const cookies = new Map<string, string>()
	for (let at = url, steps = 0; steps < 12; steps += 1) {
		if (at.startsWith(callback)) return at
		const header = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
		const answer = await fetch(at, { redirect: 'manual', headers: { Cookie: header } })
		for (const cookie of answer.headers.getSetCookie()) {
			const [pair = ''] = cookie.split(';')
			cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
		}
		const to = answer.headers.get('Location')
		if (!to) throw new Error(`The campus answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`)
		at = new URL(to, at).href
	}
	throw new Error('The campus leads in circles.')
}
