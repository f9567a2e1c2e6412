import { isEmail, nameInput } from '~/features/accounts/accounts.schema.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { requireNoImpersonation } from '~/features/accounts/registration/names.server.ts'
import type { ExternalUser } from '~/features/accounts/registration/registrations.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import type { Feature } from '~/platform/feature.ts'
import type { Affiliation, Identity } from './identities.queries.server.ts'
import type { ProviderIdentity } from './oidc.server.ts'

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

export type Claims = Readonly<Record<string, unknown>>

declare module '~/platform/feature.ts' {
	interface Feature {
		/** What the feature reads of members from a login of the campus: OpenID Connect, LDAP or SAML. */
		identityUse?: IdentityUse
	}
}

interface IdentityUse {
	/** The claims or attributes to request, as the settings name them now. */
	wants: () => readonly string[]
	/** Called at each login, also one that links the identity by a mail, and at each check of a session; not when it is linked in the settings. */
	used: (use: UsedIdentity) => Promise<void>
}

/** An identity by which a provider has just confirmed its member. */
export interface UsedIdentity {
	userId: number
	identityId: number
	/** `campus`, `ldap` or `saml`. */
	provider: string
	/** The texts of a claim or attribute, none where the member has no such; null where the provider did not tell. */
	values: (name: string) => readonly string[] | null
	/** False for a check of a session. */
	isLogin: boolean
}

let uses: readonly IdentityUse[] = []

/** Registers what features read at logins of the campus. */
export function registerIdentityUses(features: readonly Feature[]): void {
	uses = features.flatMap(({ identityUse }) => identityUse ?? [])
}

/** The claims or attributes that features read. */
export function wantedClaims(): string[] {
	return [...new Set(uses.flatMap(({ wants }) => wants()))].filter(Boolean)
}

/** What features may read of the claims of a response, for a login that is finished later. */
export function usedClaims(claims: Claims): Claims {
	// `valuesOf` reads these too, and the first part of a name may be an object.
	const names = ['_claim_names', 'hasgroups', ...wantedClaims().flatMap((name) => [name, name.split('.', 1)[0]])]
	return Object.fromEntries(Object.entries(claims).filter(([name]) => names.includes(name)))
}

/**
 * Tells features of a confirmed identity, except one of a public provider. Their errors are logged, so that they lock nobody out.
 * @param about.claims of the response
 */
export async function reportIdentityUse(
	{ name: provider, isPublic }: { name: string; isPublic: boolean },
	{ claims, ...about }: Pick<UsedIdentity, 'userId' | 'identityId' | 'isLogin'> & { claims: Claims },
): Promise<void> {
	if (isPublic) return
	const values = (name: string) => valuesOf(claims, name, about.isLogin)
	for (const { used } of uses)
		await used({ ...about, provider, values }).catch((err: unknown) =>
			log.error({ err, provider, userId: about.userId }, 'a feature failed to use what a login says of its member'),
		)
}

/**
 * The trimmed texts of a claim. A provider leaves a claim without values out of a login; a check of a session may have less to say.
 * @returns null where the provider did not tell: Entra refers to another address for the groups of a member of more than 200
 */
export function valuesOf(claims: Claims, name: string, isLogin: boolean): string[] | null {
	const elsewhere = claims._claim_names
	const isElsewhere =
		(typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name)) ||
		(name === 'groups' && claims.hasgroups !== undefined)
	const value = readClaim(claims, name)
	if (isElsewhere || (value === undefined && !isLogin)) return null
	const texts = [value].flat().filter((one) => typeof one === 'string' || typeof one === 'number')
	return texts.map((one) => String(one).trim()).filter(Boolean)
}

/** A person as they recognize themselves: the name that registration would give them, and their username there in brackets. */
export function calledThere({ name, username }: ProviderUser): string {
	return username === '' || username === name ? name : `${name} (${username.slice(0, 100)})`
}

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

/** The identity in a provider's response, as it is stored. */
export function identityOf(
	{ name, claims: names }: { name: string; claims: ClaimNames },
	{ issuer, subject, claims }: ProviderIdentity,
): Identity {
	const called = textOf(claims, names.username).slice(0, 100)
	return { provider: name, issuer, subject, name: called, affiliation: affiliationOf(claims, names) }
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
function affiliationOf(claims: Claims, { role, studentRoles, staffRoles }: ClaimNames): Affiliation {
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
