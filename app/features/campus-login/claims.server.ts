import { isEmail, nameInput } from '~/features/accounts/accounts.schema.ts'
import { refuseImpersonation } from '~/features/accounts/registration/names.server.ts'
import type { Outsider } from '~/features/accounts/registration/registrations.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { Affiliation } from './identities.queries.server.ts'

/** Where a provider's answer says what: the names of claims. A dot leads into an object, as in `realm_access.roles`. */
export interface ClaimNames {
	name: string
	username: string
	email: string
	/** Empty where nothing says who studies and who works there. */
	role: string
	studentRoles: readonly string[]
	staffRoles: readonly string[]
	/** Whether its addresses count as confirmed, also where it does not say so. */
	trustsEmail: boolean
}

/** Those of OpenID Connect. */
export const standardClaims: ClaimNames = {
	name: 'name',
	username: 'preferred_username',
	email: 'email',
	role: '',
	studentRoles: [],
	staffRoles: [],
	trustsEmail: false,
}

/** Who logged in, as the provider says. */
export interface Person extends Outsider {
	affiliation: Affiliation
}

type Claims = Readonly<Record<string, unknown>>

/**
 * What a provider's answer says of a person, under the rules of a registration.
 * @throws Invalid where it names no e-mail address
 */
export async function personOf(claims: Claims, names: ClaimNames): Promise<Person> {
	const email = textOf(claims, names.email).toLowerCase()
	if (!isEmail(email))
		throw new Invalid(
			'No e-mail address came with this login, so no account can be made. Ask who runs the login, or register here.',
		)
	// A name of the campus may be an address: what stands before its at-sign is the username.
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

/** Whether the provider says that the address is theirs. */
export function isEmailConfirmed(claims: Claims, { trustsEmail }: ClaimNames): boolean {
	return trustsEmail || claims.email_verified === true
}

/** The first of these that may be a member's name: one that can be read, and is not mistaken for that of the staff. */
async function firstGoodName(names: readonly string[]): Promise<string> {
	for (const typed of names) {
		const parsed = nameInput.safeParse({ name: typed })
		if (!parsed.success) continue
		const isRefused = await refuseImpersonation(parsed.data.name, 'name').then(
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

/** Whether the roles that a provider names say that somebody studies or works there. */
export function affiliationOf(claims: Claims, { role, studentRoles, staffRoles }: ClaimNames): Affiliation {
	if (role === '') return ''
	const value = readClaim(claims, role)
	const roles = (Array.isArray(value) ? value : [value]).map((one) => String(one).toLowerCase())
	if (staffRoles.some((one) => roles.includes(one))) return 'staff'
	return studentRoles.some((one) => roles.includes(one)) ? 'student' : ''
}

/** The text of a claim, without blanks at its ends; empty where it is none. */
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
