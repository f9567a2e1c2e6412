import { config } from '~/config.server.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { findAccount } from './accounts.queries.server.ts'
import { registerInput } from './accounts.schema.ts'
import { auth } from './auth.server.ts'
import { requireEmptyHoneypot } from './registration/rules.server.ts'
import { headersWithoutBody, withDomainErrors } from './security/auth-errors.server.ts'
import { requireAcceptedTerms } from './security/suspension.server.ts'

/**
 * Registers a member. The answer is the same for an address that has an account; its owner gets a mail.
 * @returns the stored address, whether it has to be confirmed before the first login, and cookies for the browser
 * @throws Invalid, NotAllowed (domain), TooManyRequests
 */
export async function registerMember(
	form: FormData,
	request: Request,
): Promise<{ email: string; confirm: boolean; headers: Headers }> {
	const empty = ['name', 'email', 'password', 'confirmPassword'].every((name) => !form.get(name))
	if (empty) throw new Invalid('All fields are required!')
	requireEmptyHoneypot(form)
	const { name, email, password } = parseForm(registerInput, form)
	const terms = requireAcceptedTerms(form.get('terms'))
	const extras = { terms, challenge: form.get('challenge'), proof: form.get('proof') }
	const { headers } = await withDomainErrors(() =>
		auth().api.signUpEmail({
			body: { name, email, password, ...extras },
			headers: headersWithoutBody(request),
			returnHeaders: true,
		}),
	)
	return { email: email.toLowerCase(), confirm: config().REQUIRE_EMAIL_VERIFICATION, headers: headers ?? new Headers() }
}

/** What only its owner sees of an account. */
export interface AccountView {
	email: string
	emailVerified: boolean
	joinedAt: string
	/** Whether logging in needs a second factor. */
	hasSecondFactor: boolean
}

/** What only its owner sees of an account. @throws NotFound when it is gone */
export async function getAccount(viewer: SignedIn): Promise<AccountView> {
	const account = await findAccount(viewer.id)
	if (!account) throw new NotFound('There is no such account.')
	return {
		email: account.email,
		emailVerified: account.email_verified,
		joinedAt: account.created_at.toISOString(),
		hasSecondFactor: account.second_factor,
	}
}
