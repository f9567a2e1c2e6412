import { APIError } from 'better-auth/api'
import { config } from '~/config.server.ts'
import { Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import { siteFaultOf } from '~/lib/request-scope.server.ts'

/** The current password is wrong. */
export class WrongPassword extends Invalid {
	constructor() {
		const message = 'That is not your current password.'
		super(message, { currentPassword: message })
	}
}

/** The headers for Better Auth: without the content type, as the body is passed parsed. */
export function headersWithoutBody(request: Request): Headers {
	const headers = new Headers(request.headers)
	headers.delete('Content-Type')
	headers.delete('Content-Length')
	return headers
}

const wrongLogin = 'The email or password is wrong.'
/** Where addresses are confirmed, one sentence for all refused logins: it does not reveal whether the address is known. */
const wrongOrUnconfirmed = 'The email or password is wrong, or the address is not confirmed yet. Check your email.'
const oldLink = 'This link has been used or has expired. Ask for a new one.'

/** Runs a call of Better Auth, and translates its errors. @throws Invalid, NotAllowed, TooManyRequests */
export async function withDomainErrors<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work()
	} catch (error) {
		if (!(error instanceof APIError)) throw error
		throw domainError(error)
	}
}

/** Translates an error of Better Auth: its reason in words, at the field that it concerns. The code is for programs only. */
function domainError(refusal: APIError): Error {
	const { statusCode, body, headers, message } = refusal
	if (statusCode >= 500) return siteFaultOf(refusal) ?? refusal
	const code = String(body?.code ?? '')
	if (statusCode === 429)
		return new TooManyRequests(message, Number(new Headers(headers as HeadersInit).get('Retry-After') ?? 60))
	if (code === 'INVALID_EMAIL_OR_PASSWORD' || code === 'INVALID_EMAIL')
		return new Invalid(config().REQUIRE_EMAIL_VERIFICATION ? wrongOrUnconfirmed : wrongLogin)
	if (code.includes('TOKEN')) return new Invalid(oldLink)
	if (statusCode === 403) return new NotAllowed(message)
	if (code === 'INVALID_NAME') return new Invalid(message, { name: message })
	return new Invalid(message, code.startsWith('PASSWORD_') ? { password: message } : {})
}
