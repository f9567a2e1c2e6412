import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import routes from '../../app/routes.ts'

/** A request as it is sent: its path is not normalized, and any method that Node accepts is possible. */
export interface RawRequest {
	method?: string
	path: string
	headers?: Record<string, string | string[]>
	body?: string | Buffer
}

export interface RawAnswer {
	status: number
	headers: IncomingHttpHeaders
	/** All Set-Cookie headers. */
	cookies: string[]
	body: string
}

// Without keep-alive: the site closes connections whose request it did not read completely.
const agent = new Agent({ keepAlive: false, maxSockets: 8 })

/** Sends a request unchanged. @throws Error if the connection is closed before a response, or after 10 s */
export function sendRaw(url: string, { method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
	const { hostname, port } = new URL(url)
	const sized = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
	return new Promise((resolve, reject) => {
		const options = { hostname, port, method, path, agent, headers: { ...sized, ...headers }, timeout: 10_000 }
		const outgoing = request(options, (answer) => {
			const chunks: Buffer[] = []
			answer.on('data', (chunk) => chunks.push(chunk))
			answer.on('error', reject)
			answer.on('end', () => {
				const cookies = answer.headers['set-cookie'] ?? []
				const text = Buffer.concat(chunks).toString()
				resolve({ status: answer.statusCode ?? 0, headers: answer.headers, cookies, body: text })
			})
		})
		outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within 10 s to ${method} ${path}`)))
		outgoing.on('error', reject)
		outgoing.end(body)
	})
}

/** A form post as a page sends it. */
export function formRequest(
	path: string,
	fields: Record<string, string>,
	headers: Record<string, string> = {},
): RawRequest {
	const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
	return { method: 'POST', path, body: new URLSearchParams(fields).toString(), headers: { ...type, ...headers } }
}

interface RouteEntry {
	file: string
	path?: string | undefined
	index?: boolean | undefined
	children?: RouteEntry[] | undefined
}

/** The paths of all routes, with parameters as `:name` and `*`. */
export function routePaths(entries: RouteEntry[] = routes, above = ''): string[] {
	const paths = entries.flatMap(({ path, index, children = [] }) => {
		const whole = path === undefined ? above : `${above}/${path}`
		return [...(path !== undefined || index ? [whole || '/'] : []), ...routePaths(children, whole)]
	})
	return [...new Set(paths)]
}

/** The routes with a component. */
export function pageRoutes(entries: RouteEntry[] = routes): RouteEntry[] {
	return entries.flatMap((entry) => {
		if (entry.children) return [{ ...entry, children: pageRoutes(entry.children) }]
		return entry.file.endsWith('.tsx') ? [entry] : []
	})
}

/** The pattern of an address: of those that match, the one with the most static segments. */
export function patternOf(address: string, patterns: string[]): string {
	const parts = new URL(address, 'http://site').pathname.split('/').filter(Boolean)
	const fits = patterns.filter((pattern) => {
		const words = pattern.split('/').filter(Boolean)
		return words.length === parts.length && words.every((word, index) => word.startsWith(':') || word === parts[index])
	})
	const fixed = (pattern: string) => pattern.split('/').filter((word) => !word.startsWith(':')).length
	return fits.sort((one, other) => fixed(other) - fixed(one))[0] ?? '/*'
}
