import { isEmail, nameInput } from '~/features/accounts/accounts.schema.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { requireNoImpersonation } from '~/features/accounts/registration/names.server.ts'
import type { ExternalUser } from '~/features/accounts/registration/registrations.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { Affiliation } from './identities.queries.server.ts'

/** Names of claims in a provider's response. A dot leads into an object, as in `realm_access.roles`. */
export interface ClaimNames {
	name: string
	username: string
	email: string
	/** Empty if roles are not reported. */
	role: string
	studentRoles: readonly string[]
	staffRoles: readonly string[]
	/** Whether addresses count as confirmed even without a claim of the provider. */
	trustsEmail: boolean
}

/** The standard claims of OpenID Connect. */
export const standardClaims: ClaimNames = {
	name: 'name',
	username: 'preferred_username',
	email: 'email',
	role: '',
	studentRoles: [],
	staffRoles: [],
	trustsEmail: false,
}

/** The person who logged in, according to the provider. */
export interface ProviderUser extends ExternalUser {
	affiliation: Affiliation
}

type Claims = Readonly<Record<string, unknown>>

/** Reads a person from claims, under the rules of registration. @throws Invalid without an e-mail address */
export async function readProviderUser(claims: Claims, names: ClaimNames): Promise<ProviderUser> {
	const email = textOf(claims, names.email).toLowerCase()
	if (!isEmail(email))
		throw new Invalid(
			`No email address came with this login, so no account can be made. Ask who runs the login${allowsPasswords() ? ', or register here' : ''}.`,
		)
	// A campus username may be a mail address; the part before the @ is used.
	const username = textOf(claims, names.username).split('@', 1)[0] ?? ''
	const local = email.slice(0, email.lastIndexOf('@'))
	const full = [textOf(claims, 'given_name'), textOf(claims, 'family_name')].join(' ').trim()
	return {
		name: await firstGoodName([textOf(claims, names.name), full, username, local]),
		email,
		username,
		isConfirmed: isEmailConfirmed(claims, names),
		affiliation: affiliationOf(claims, names),
	}
}

/** Whether the provider has confirmed the address. */
export function isEmailConfirmed(claims: Claims, { trustsEmail }: ClaimNames): boolean {
	return trustsEmail || claims.email_verified === true
}

/** The first of these that is a valid member name: legible, and not mistaken for staff. */
async function firstGoodName(names: readonly string[]): Promise<string> {
	for (const typed of names) {
		const parsed = nameInput.safeParse({ name: typed })
		if (!parsed.success) continue
		const isRefused = await requireNoImpersonation(parsed.data.name, 'name').then(
			() => false,
			(error: unknown) => {
				if (error instanceof Invalid) return true
				throw error
			},
		)
		if (!isRefused) return parsed.data.name
	}
	return 'Member'
}

/** Whether a person studies or works there, by the roles that the provider reports. */
export function affiliationOf(claims: Claims, { role, studentRoles, staffRoles }: ClaimNames): Affiliation {
	if (role === '') return ''
	const value = readClaim(claims, role)
	const roles = (Array.isArray(value) ? value : [value]).map((one) => String(one).toLowerCase())
	if (staffRoles.some((one) => roles.includes(one))) return 'staff'
	return studentRoles.some((one) => roles.includes(one)) ? 'student' : ''
}

/** The trimmed text of a claim; empty if it is not text. */
export function textOf(claims: Claims, name: string): string {
	const value = readClaim(claims, name)
	return typeof value === 'string' ? value.trim() : ''
}

function readClaim(claims: Claims, name: string): unknown {
	if (Object.hasOwn(claims, name)) return claims[name]
	let value: unknown = claims
	for (const part of name.split('.')) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
		value = (value as Claims)[part]
	}
	return value
}
