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
 * An error response for programs, by RFC 9457. The title is the status in words, as the type is `about:blank`.
 * @param detail a whole sentence about this request
 * @param fields a message for each wrong field, sent as `errors`
 * @param members further members of this kind of problem
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
