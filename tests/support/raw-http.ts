import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import routes from '../../app/routes.ts'

/** A request as it goes over the wire: nothing of its path is resolved, and its method may be anything that Node sends. */
export interface RawRequest {
	method?: string
	path: string
	headers?: Record<string, string | string[]>
	body?: string | Buffer
}

export interface RawAnswer {
	status: number
	headers: IncomingHttpHeaders
	/** Each Set-Cookie header. */
	cookies: string[]
	body: string
}

// A connection each: the site closes those whose request it did not read to its end.
const agent = new Agent({ keepAlive: false, maxSockets: 8 })

/** Sends a request as it is. @throws Error when the connection is cut before an answer, or after 10 s without one */
export function sendRaw(url: string, { method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
	const { hostname, port } = new URL(url)
	const sized = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
	return new Promise((resolve, reject) => {
		const options = { hostname, port, method, path, agent, headers: { ...sized, ...headers }, timeout: 10_000 }
		const asked = request(options, (answer) => {
			const chunks: Buffer[] = []
			answer.on('data', (chunk) => chunks.push(chunk))
			answer.on('error', reject)
			answer.on('end', () => {
				const cookies = answer.headers['set-cookie'] ?? []
				const text = Buffer.concat(chunks).toString()
				resolve({ status: answer.statusCode ?? 0, headers: answer.headers, cookies, body: text })
			})
		})
		asked.on('timeout', () => asked.destroy(new Error(`no answer within 10 s to ${method} ${path}`)))
		asked.on('error', reject)
		asked.end(body)
	})
}

/** A form as a page sends it. */
export function formRequest(
	path: string,
	fields: Record<string, string>,
	headers: Record<string, string> = {},
): RawRequest {
	const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
	return { method: 'POST', path, body: new URLSearchParams(fields).toString(), headers: { ...type, ...headers } }
}

interface RouteEntry {
	path?: string | undefined
	index?: boolean | undefined
	children?: RouteEntry[] | undefined
}

/** The path of every route of the site, with its parameters as `:name` and `*`. */
export function routePaths(entries: RouteEntry[] = routes, above = ''): string[] {
	const paths = entries.flatMap(({ path, index, children = [] }) => {
		const whole = path === undefined ? above : `${above}/${path}`
		return [...(path !== undefined || index ? [whole || '/'] : []), ...routePaths(children, whole)]
	})
	return [...new Set(paths)]
}
