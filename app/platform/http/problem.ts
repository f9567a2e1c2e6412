import type { z } from 'zod'

/** Why a form is refused: a line on top, and a message for each field. */
export interface FormErrors {
	message: string
	fields: Record<string, string>
}

/** The first message of a refusal on top, and the first of each field at the field. */
export function formErrorsOf(error: z.ZodError): FormErrors {
	const fields: Record<string, string> = {}
	for (const issue of error.issues) fields[String(issue.path[0] ?? '')] ??= issue.message
	return { message: error.issues[0]?.message ?? 'Something is missing.', fields }
}

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
