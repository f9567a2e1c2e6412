import { z } from 'zod'
import { config } from '~/config.server.ts'
import { beginLinking } from '~/features/account-linking/account-linking.server.ts'
import { LINKED } from '~/features/account-linking/account-linking.view.ts'
import { findAccountByEmail, lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { logInAs } from '~/features/accounts/login.server.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { isClosedDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import { isAllowedDomain } from '~/features/accounts/registration/names.server.ts'
import { announceNewAccount, registerExternalUser } from '~/features/accounts/registration/registrations.server.ts'
import { registrationNotice, registrationSettings } from '~/features/accounts/registration/rules.server.ts'
import { confirmCampusByLogin } from '~/features/campus/campus.server.ts'
import { mailEachAddress } from '~/features/identity/emails/email-mails.server.ts'
import { setLoginBasis } from '~/features/sessions/late-logins.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { lockSession } from '~/features/sessions/sessions.queries.server.ts'
import { announceEndedSessions, SESSION_ENDED } from '~/features/sessions/sessions.server.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import { capitalize } from '~/lib/text.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import {
	calledThere,
	identityOf,
	isEmailConfirmed,
	type ProviderUser,
	readProviderUser,
	reportIdentityUse,
	textOf,
	usedClaims,
} from './claims.server.ts'
import {
	deleteIdentity,
	findIdentityOwner,
	findSessionOwner,
	hasLeft,
	type IdentityRow,
	insertIdentity,
	insertProviderSession,
	isStillLinked,
	listIdentityRows,
	lockIdentity,
	touchIdentity,
} from './identities.queries.server.ts'
import { linkedMail } from './linked-logins.server.ts'
import type { ProviderIdentity } from './oidc.server.ts'
import { listProviders, type Provider, providerNames } from './providers.server.ts'

/* Which account an identity opens. It is found by issuer and subject only: a mail address, even a confirmed one, opens none. */

/** The purpose of encrypting a refresh token before its session starts. */
const loginDataPurpose = 'login_challenges.kept'

/** The purpose of encrypting a session's refresh token. */
export function refreshPurpose(sessionId: number): string {
	return `provider_sessions ${sessionId}`
}

/**
 * Logs in with an identity that a provider confirmed. The first login creates the account.
 * @returns the cookies of the session, whether the account is new, and a page that takes precedence over the requested
 * one: a member who asked for deletion can first choose to keep the account
 * @throws NotAllowed, Conflict, Invalid with a message for the person; LinkRequired, SecondStepRequired
 */
export async function logInByIdentity(
	provider: Provider,
	answer: ProviderIdentity,
	request: Request,
): Promise<{ headers: Headers; isNew: boolean; leadsTo: string | null }> {
	const known = await findIdentityOwner(db(), answer)
	const person = known ? null : await readProviderUser(answer.claims, provider.claims)
	if (person) await offerLinking(provider, answer, person)
	const identity = identityOf(provider, answer)
	const { userId, identityId, made } = await db()
		.transaction()
		.execute(async (trx) => {
			await lockIdentity(trx, answer)
			const owner = await findIdentityOwner(trx, answer)
			if (owner) {
				requireConfirmedAddress(owner.email_verified)
				await touchIdentity(trx, owner.id, identity)
				return { userId: owner.user_id, identityId: owner.id, made: null }
			}
			if (!person) throw new Conflict('This account was changed in the meantime. Try again.')
			const account = await register(trx, provider, { person, issuer: answer.issuer })
			const id = await insertIdentity(trx, account.id, identity, true)
			return { userId: account.id, identityId: id, made: account }
		})
	if (made) await announceNewAccount(made)
	if (identity.affiliation === 'student' && isEmailConfirmed(answer.claims, provider.claims))
		await confirmCampusByLogin(userId, textOf(answer.claims, provider.claims.email).toLowerCase())
	await reportIdentityUse(provider, { userId, identityId, claims: answer.claims, isLogin: true })
	setLoginBasis({ isStillValid: () => isStillLinked(identityId) })
	const headers = await logInAs(userId, request, loginDataOf(identityId, answer))
	return { headers, isNew: made !== null, leadsTo: known?.is_leaving ? '/settings/leave' : null }
}

const loginDataShape = z.object({
	/** Null for an identity that is linked when the session begins. */
	identityId: z.number().nullable(),
	/** The identity to link, and the address by which its account was found. */
	link: z
		.object({
			identity: z.object({
				provider: z.string(),
				issuer: z.string(),
				subject: z.string(),
				name: z.string(),
				affiliation: z.enum(['', 'student', 'staff']),
			}),
			email: z.string(),
			/** What features read of the login; missing in logins that waited during the update to this version. */
			claims: z.record(z.string(), z.unknown()).optional(),
		})
		.optional(),
	refreshToken: z.string().nullable(),
	endsAt: z.string().nullable(),
	sid: z.string().nullish(),
})
type LoginData = z.output<typeof loginDataShape>

/** Encrypted data for the session before it starts. */
function loginDataOf(identityId: number, answer: ProviderIdentity): string {
	const { refreshToken, endsAt = null, sid } = answer
	return encryptLoginData({ identityId, refreshToken, endsAt, sid })
}

function encryptLoginData(loginData: LoginData): string {
	return encryptSecret(loginDataPurpose, JSON.stringify(loginData))
}

function readLoginData(loginData: string): LoginData {
	return loginDataShape.parse(JSON.parse(decryptSecret(loginDataPurpose, loginData) ?? 'null'))
}

/** What a session whose beginning linked a login tells its member; null for other sessions. @param loginData as of {@link attachSession} */
export const noticeOfLink = (loginData: string) => (readLoginData(loginData).link ? LINKED : null)

/**
 * Stores with a new session which identity began it, how to check it at its provider, and when it ends. Links the identity first, if a mailed link asked for it.
 * @param loginData as `logInByIdentity` encrypted it, possibly before a second step
 * @throws NotAllowed if the identity was unlinked meanwhile, Conflict if it cannot be linked any more
 */
export async function attachSession(sessionId: number, loginData: string): Promise<void> {
	const { refreshToken, endsAt, sid = null, link, ...rest } = readLoginData(loginData)
	const identityId = link ? await linkByMail(sessionId, link) : rest.identityId
	const encrypted = refreshToken === null ? null : encryptSecret(refreshPurpose(sessionId), refreshToken)
	const session = { sessionId, refreshToken: encrypted, endsAt, sid }
	if (identityId !== null && (await insertProviderSession({ ...session, identityId }))) return
	throw new NotAllowed('This way to log in was removed in the meantime. Log in another way.')
}

async function register(
	trx: Executor,
	provider: Provider,
	{ person, issuer }: { person: ProviderUser; issuer: string },
): Promise<{ id: number; username: string }> {
	const who = providerNames[provider.name]
	if (!provider.registers)
		throw new NotAllowed(
			`No account here is linked to this account of ${who}. ${instead('Log in another way, and link it in your settings.')}`,
		)
	const { mode, domains } = registrationSettings()
	const notice = registrationNotice()
	// Identities of the campus need no invitation.
	if (notice !== null && (provider.isPublic || mode === 'closed')) throw new NotAllowed(notice)
	if (provider.isPublic && !isAllowedDomain(person.email, domains))
		throw new NotAllowed(`Only addresses of ${domains.join(', ')} can register here, and ${who} names ${person.email}.`)
	if (config().REQUIRE_EMAIL_VERIFICATION && !person.isConfirmed)
		throw new NotAllowed(
			`${capitalize(who ?? '')} does not say that ${person.email} is yours. ${instead(`Register with your address, and link ${who} in your settings.`)}`,
		)
	const account = await registerExternalUser(trx, person)
	if (account) return account
	const taken = `There is already an account with the address ${person.email}`
	const holder = await findAccountByEmail(person.email, trx)
	if (holder && !provider.isPublic && isOpenedByCampus(await listIdentityRows(holder.id, trx), issuer, provider.name))
		throw new Conflict(
			`${taken}, and another account of ${who} opens it. If it is yours, or somebody had this address before you, ask an admin for help.`,
		)
	if (holder && !provider.isPublic && (await hasLeft(trx, holder.id)))
		throw new Conflict(`${taken}. If it is yours, or somebody had this address before you, ask an admin for help.`)
	throw new Conflict(`${taken}. ${instead(`If it is yours, log in to it once, and link ${who} in your settings.`)}`)
}

/**
 * Offers a person of the campus to link their login to the account with their address, by a mail to it. Not to an account that a login
 * of the campus opens already, or whose member has left: it belongs to somebody else, and an address may pass from one person to another.
 * @throws LinkRequired
 */
async function offerLinking(provider: Provider, answer: ProviderIdentity, person: ProviderUser): Promise<void> {
	const { email, isConfirmed } = person
	if (provider.isPublic || !isConfirmed || isClosedDemoAccount(email)) return
	const account = await findAccountByEmail(email)
	if (!account || (await hasLeft(db(), account.id))) return
	if (isOpenedByCampus(await listIdentityRows(account.id), answer.issuer, provider.name)) return
	const { refreshToken, endsAt = null, sid } = answer
	const link = { identity: identityOf(provider, answer), email, claims: usedClaims(answer.claims) }
	throw await beginLinking({
		userId: account.id,
		email,
		provider: provider.name,
		identity: `${answer.issuer} ${answer.subject}`,
		identityName: calledThere(person),
		loginData: encryptLoginData({ identityId: null, link, refreshToken, endsAt, sid }),
	})
}

/** Whether one of these identities logs in by a campus provider now. One of this provider with a former issuer does not. */
function isOpenedByCampus(rows: readonly IdentityRow[], issuer: string, provider: string): boolean {
	const offered = listProviders().flatMap(({ name, isPublic }) => (isPublic ? [] : [name]))
	return rows.some((row) => (row.provider === provider ? row.issuer === issuer : offered.includes(row.provider)))
}

/**
 * Links an identity to the account of a session that has just begun by a mailed link. A mail to each address of the account says so.
 * @returns the id of the identity
 * @throws NotAllowed, Conflict if it is not possible any more
 */
async function linkByMail(sessionId: number, link: NonNullable<LoginData['link']>): Promise<number> {
	const { identity, email, claims } = link
	const who = providerNames[identity.provider] ?? identity.provider
	const { id, former, owner } = await db()
		.transaction()
		.execute(async (trx) => {
			const owner = await findSessionOwner(trx, sessionId)
			if (owner) await lockMember(trx, owner.id)
			// It may have ended while this waited for the lock.
			if (!owner || !(await lockSession(trx, sessionId))) throw new NotAllowed(SESSION_ENDED)
			const userId = owner.id
			await lockIdentity(trx, identity)
			const linked = await listIdentityRows(userId, trx)
			const isPossible =
				listProviders().some(({ name, isPublic }) => name === identity.provider && !isPublic) &&
				(await findAccountByEmail(email, trx))?.id === userId &&
				!(await hasLeft(trx, userId)) &&
				!(await findIdentityOwner(trx, identity)) &&
				!isOpenedByCampus(linked, identity.issuer, identity.provider)
			if (!isPossible) throw new Conflict('This account or login was changed in the meantime. Log in again.')
			const former = linked.find(({ provider }) => provider === identity.provider)
			if (former) await deleteIdentity(trx, { userId, id: former.id, keptSession: sessionId })
			const id = await insertIdentity(trx, userId, identity, true)
			await mailEachAddress(trx, userId, (to) => linkedMail(to, who))
			return { id, former, owner }
		})
	await invalidatePages([ALL_PAGES])
	const record = { userId: owner.id, detail: { provider: identity.provider } }
	if (former) {
		await announceEndedSessions(owner.id, owner.username)
		await recordSecurityEvent('identity-unlinked', record)
	}
	await recordSecurityEvent('identity-linked', record)
	if (identity.affiliation === 'student') await confirmCampusByLogin(owner.id, email)
	const used = { userId: owner.id, identityId: id, isLogin: true }
	if (claims) await reportIdentityUse({ name: identity.provider, isPublic: false }, { ...used, claims })
	return id
}

/** What to do instead. @param byPassword what helps where people have passwords */
function instead(byPassword: string): string {
	return allowsPasswords() ? byPassword : 'Passwords are switched off on this site, so ask an admin for help.'
}

function requireConfirmedAddress(isConfirmed: boolean): void {
	if (config().REQUIRE_EMAIL_VERIFICATION && !isConfirmed)
		throw new NotAllowed('The address of this account is not confirmed yet. Check your email for the link.')
}
