const titles: Record<number, string> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	403: 'Forbidden',
	404: 'Not Found',
	405: 'Method Not Allowed',
	409: 'Conflict',
	412: 'Precondition Failed',
	413: 'Content Too Large',
	415: 'Unsupported Media Type',
	422: 'Unprocessable Content',
	429: 'Too Many Requests',
	500: 'Internal Server Error',
	503: 'Service Unavailable',
	507: 'Insufficient Storage',
}

/**
 * A refusal for programs, after RFC 9457. Its title is the status in words, because its type is `about:blank`.
 * @param detail a whole sentence about this very request
 * @param fields a message for each field that was wrong; the member `errors`
 * @param members more members, of this kind of refusal
 */
export function problem(
	status: number,
	detail: string,
	{ fields, members, headers }: { fields?: Record<string, string>; members?: object; headers?: HeadersInit } = {},
): Response {
	const answer = new Response(
		JSON.stringify({
			type: 'about:blank',
			title: titles[status] ?? 'Error',
			status,
			detail,
			...(fields && Object.keys(fields).length > 0 && { errors: fields }),
			...members,
		}),
		{ status, headers: new Headers(headers) },
	)
	answer.headers.set('Content-Type', 'application/problem+json')
	return answer
}
