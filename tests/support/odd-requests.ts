import { operations } from '~/features/api/openapi.server.ts'
import { chances } from './chat-network.ts'
import { type RawRequest, routePaths } from './raw-http.ts'

/* Malformed requests, deterministic for a seed. */

/** Odd values for parameters and fields, already encoded for an address. */
const odd = [
	...[
		'%00',
		'a%00b',
		'%ff',
		'%c0%80',
		'%ed%a0%80',
		'%ED%B0%80',
		'%zz',
		'%',
		'%25',
		'%2e%2e',
		'%2e%2e%2f%2e%2e',
		'%5c',
		'%0d%0aX:%20y',
	],
	...[
		'0',
		'-1',
		'1e309',
		'2147483647',
		'2147483648',
		'9223372036854775808',
		'99999999999999999999',
		'1.5',
		'NaN',
		'null',
		'undefined',
	],
	...[
		'__proto__',
		'constructor',
		'toString',
		'hasOwnProperty',
		'%7B%7D',
		'%5B%5D',
		"'%20or%201=1--",
		'%22',
		'%3Cscript%3E',
		'*',
		'%E2%80%AE',
	],
	...[
		'',
		'%20',
		'.',
		'..',
		'.data',
		'%F0%9F%92%A9',
		'a'.repeat(300),
		'%F0%9D%93%B6'.repeat(60),
		'mira',
		'python',
		'query',
		'1',
		'true',
	],
]
const parameters = [
	...[
		'redirectTo',
		'cursor',
		'q',
		'sort',
		'thread',
		'view',
		'tab',
		'token',
		'merged',
		'original',
		'edit',
		'after',
		'before',
		'around',
	],
	...[
		'since',
		'kind',
		'with',
		'from',
		'name',
		'limit',
		'year',
		'skills',
		'online',
		'_routes',
		'index',
		'constructor',
		'title',
		'tags',
		'%00',
	],
]
const fields = [
	...[
		'intent',
		'body',
		'title',
		'description',
		'tags',
		'category',
		'key',
		'comment',
		'query',
		'value',
		'tag',
		'version',
		'id',
		'upTo',
	],
	...[
		'clientId',
		'pictures',
		'email',
		'password',
		'confirmPassword',
		'name',
		'token',
		'theme',
		'redirectTo',
		'from',
		'reason',
		'username',
	],
	...[
		'kind',
		'crop',
		'file',
		'resume',
		'endpoint',
		'p256dh',
		'auth',
		'full_name',
		'bio',
		'skills',
		'project_date',
		'action',
		'days',
		'merge',
	],
]
const intents = [
	...[
		'comment',
		'reply',
		'edit-comment',
		'delete-comment',
		'mute',
		'choose-solution',
		'restore-query',
		'send',
		'edit',
		'delete',
		'seen',
	],
	...[
		'report',
		'block',
		'accept',
		'add',
		'update',
		'remove',
		'save',
		'preview',
		'apply',
		'read',
		'read-all',
		'on',
		'off',
		'hide',
		'suspend',
	],
]
const types = [
	...[
		'application/x-www-form-urlencoded',
		'application/x-www-form-urlencoded',
		'multipart/form-data; boundary=x',
		'multipart/form-data',
	],
	...[
		'text/weird',
		'application/json',
		'application/json; charset=utf-16',
		'text/plain',
		'',
		'multipart/mixed; boundary=x',
		'/',
		'a/b;=;',
	],
]
const strangeHeaders: [string, string][] = [
	['Range', 'bytes=9-1,abc'],
	['Range', 'bytes=0-0,1-1,2-2'],
	['If-None-Match', '"'],
	['If-Match', 'W/"v99999999999999999999"'],
	['Accept', '*/*;q=x, application/json'],
	['Accept-Encoding', 'br;q=, gzip;q=9, \u00ff'],
	['Accept-Language', '\u00ff'],
	['Cookie', 'session=%00; session_data=%%%; flash=%ff; theme=%00'],
	['Cookie', `flash=${encodeURIComponent('{"type":"plain","message":{"toString":1}}')}`],
	['Cookie', '=; ;;session; __Host-session=x.y'],
	['Authorization', 'Bearer \u00ff'],
	['Authorization', 'Basic OjA='],
	['Referer', 'http://[::1'],
	['Idempotency-Key', '\u00ff'.repeat(200)],
	['X-Forwarded-For', '%00, ::ffff:1.2.3.4%eth0'],
	['Sec-Fetch-Site', 'same-origin, cross-site'],
]

/** @param members Cookie headers of members, who send half of the requests @param origin of the site, which most of them name */
export function oddRequests(
	count: number,
	seed: number,
	{ members, origin }: { members: string[]; origin: string },
): RawRequest[] {
	const chance = chances(seed)
	const one = <Item>(items: readonly Item[]) => items[Math.floor(chance() * items.length)] as Item
	const often = (share: number) => chance() < share
	const paths = routePaths()

	const filled = (pattern: string) =>
		pattern.replace(/:\w+|\{\w+\}|\*/g, (name) => (name === '*' && often(0.5) ? `${one(odd)}/${one(odd)}` : one(odd)))
	const pairs = (names: readonly string[]) =>
		Array.from({ length: Math.floor(chance() * 4) }, () => `${one(names)}=${one(odd)}`).join('&')

	function formBody(type: string): string {
		const intent = `intent=${one(intents)}&`
		if (type.includes('json'))
			return one([`{"${one(fields)}":"\\u0000"}`, '{', '[]', 'null', '"\\ud800"', `{"body":{"a":[1e400]}}`])
		if (!type.startsWith('multipart')) return intent + pairs(fields)
		const part = `--x\r\nContent-Disposition: form-data; name="${one(fields)}"`
		return one([
			`${part}\r\n\r\n${one(odd)}\u0000\r\n--x--\r\n`,
			`${part}; filename="\u0000"\r\nContent-Type: image/png\r\n\r\nno picture\r\n--x--\r\n`,
			`${part}\r\n\r\ncut off`,
			'--y\r\n',
			'',
		])
	}

	function request(): RawRequest {
		const operation = often(0.3) ? one(operations) : null
		const path = operation ? `/api/v1${filled(operation.path)}` : filled(one(paths)) + (often(0.4) ? '.data' : '')
		const query = often(0.5) ? `?${pairs(parameters)}` : ''
		const usual = operation ? operation.method.toUpperCase() : one(['GET', 'GET', 'POST'])
		const method = often(0.06)
			? one(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'SEARCH', 'PURGE'])
			: usual
		const headers: Record<string, string> = often(0.9) ? { Origin: origin } : {}
		if (often(0.5)) headers.Cookie = one(members)
		for (const [name, value] of often(0.3) ? [one(strangeHeaders), one(strangeHeaders)] : []) headers[name] = value
		const whole = { method, path: (path + query).replaceAll(' ', '%20'), headers }
		if (method === 'GET' || method === 'HEAD' || method === 'TRACE') return whole
		const type = operation ? 'application/json' : one(types)
		return { ...whole, headers: { ...headers, ...(type && { 'Content-Type': type }) }, body: formBody(type) }
	}

	// Logging out would turn the remaining requests into those of visitors.
	const keepsSession = ({ method, path }: RawRequest) =>
		method !== 'POST' || !/^\/(logout|settings|reset-password)/.test(path)
	const made: RawRequest[] = []
	while (made.length < count) {
		const next = request()
		if (keepsSession(next)) made.push(next)
	}
	return made
}
