/* What a browser sends and keeps, for tests that call use cases without a server. */

/** The fields of a form, as they arrive. */
export function form(fields: Record<string, string>): FormData {
	const data = new FormData()
	for (const [name, value] of Object.entries(fields)) data.set(name, value)
	return data
}

/** A request to the site, from one address. @param cookie as `cookiesOf` joins them */
export function request(cookie = '', path = '/'): Request {
	const headers = { 'x-client-ip': '198.51.100.7', Cookie: cookie, Origin: 'http://localhost:3000' }
	return new Request(`http://localhost:3000${path}`, { headers })
}

/** The cookies that a response sets, as a browser sends them back: without those that it deletes. */
export function cookiesOf(headers: Headers): string {
	return cookiePairs(headers)
		.filter((pair) => !pair.endsWith('='))
		.join('; ')
}

/** The cookies that a response sets, as `name=value`. */
export function cookiePairs(headers: Headers): string[] {
	return headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
}
