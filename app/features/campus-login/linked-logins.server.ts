import { config } from '~/config.server.ts'
import { deleteLinkRequests } from '~/features/account-linking/account-linking.queries.server.ts'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { hasPassword } from '~/features/accounts/security/credentials.server.ts'
import { findEmailById } from '~/features/authenticators/authenticators.queries.server.ts'
import { mailEachAddress } from '~/features/identity/emails/email-mails.server.ts'
import { mayLogInAnyway } from '~/features/sessions/password-exceptions.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions, requireStandingSession } from '~/features/sessions/sessions.server.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, NotFound } from '~/lib/errors.ts'
import { capitalize } from '~/lib/text.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { type LoginsView, loginsPath } from './campus-login.view.ts'
import { identityOf } from './claims.server.ts'
import {
	deleteIdentity,
	findIdentity,
	findIdentityOwner,
	insertIdentity,
	listIdentityRows,
	lockIdentity,
} from './identities.queries.server.ts'
import type { ProviderIdentity } from './oidc.server.ts'
import { listProviders, type Provider, providerNames } from './providers.server.ts'

/* The identities that are linked to an account: linking another one, unlinking, listing. */

/**
 * Links an identity to the account of a logged-in member, who gets a mail about it, as it may have been another person at their device.
 * @throws Conflict if it belongs to another account, or the member has linked another one of this provider
 */
export async function linkIdentity(viewer: SignedIn, provider: Provider, answer: ProviderIdentity): Promise<void> {
	const who = providerNames[provider.name] ?? provider.name
	const isNew = await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, viewer.id)
			await requireStandingSession(trx)
			await lockIdentity(trx, answer)
			const owner = await findIdentityOwner(trx, answer)
			if (owner && owner.user_id !== viewer.id)
				throw new Conflict(`This account of ${who} already opens another account here. Remove it there first.`)
			if (owner) return false
			const linked = await listIdentityRows(viewer.id, trx)
			if (linked.some((one) => one.provider === provider.name))
				throw new Conflict(`Another account of ${who} is linked already. Remove it first.`)
			await insertIdentity(trx, viewer.id, identityOf(provider, answer), false)
			await addJob('send-mail', linkedMail(await findEmailById(trx, viewer.id), who), trx)
			return true
		})
	if (!isNew) return
	await invalidatePages([ALL_PAGES])
	await recordSecurityEvent('identity-linked', { userId: viewer.id, detail: { provider: provider.name } })
}

export function linkedMail(to: string, who: string): Mail {
	const what = `You can log in with ${who}`
	const link = { label: 'See your ways to log in', url: `${config().publicUrl}${loginsPath}` }
	const text = `An account of ${who} was linked to your ${siteName()} account, and opens it from now on.`
	const closing = 'If this was not you, remove it there, end all sessions in your settings, and ask an admin for help.'
	return linkMail(to, `${what} at ${siteName()}`, text, link, closing)
}

const unlinkedMessage = 'It is removed already.'

/**
 * Unlinks an identity, and ends the sessions that it started.
 * @param keptSession the present session, which continues
 * @throws NotFound, Conflict for the last login method
 */
export async function unlinkIdentity(viewer: SignedIn, id: number, keptSession: number): Promise<void> {
	if (!isId(id)) throw new NotFound(unlinkedMessage)
	const provider = await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, viewer.id)
			const offered = listProviders().map(({ name }) => name)
			const others = (await listIdentityRows(viewer.id, trx)).filter((one) => one.id !== id)
			if (!(await mayUsePassword(viewer.id, trx)) && !others.some((one) => offered.includes(one.provider)))
				throw new Conflict(
					`This is your only way to log in. ${allowsPasswords() ? 'Set a password or link' : 'Link'} another account first.`,
				)
			const name = await deleteIdentity(trx, { userId: viewer.id, id, keptSession })
			if (name === undefined) throw new NotFound(unlinkedMessage)
			return name
		})
	await announceEndedSessions(viewer.id, viewer.username)
	await invalidatePages([ALL_PAGES])
	await recordSecurityEvent('identity-unlinked', { userId: viewer.id, detail: { provider } })
}

/**
 * Unlinks an identity of a member in the transaction of an admin, and invalidates the links that wait to be followed. A mail to each
 * address of the account says so. Call {@link invalidatePages} after the commit.
 * @returns how sentences name its provider
 * @throws NotFound if it is unlinked already
 */
export async function removeIdentity(trx: Executor, userId: number, id: number): Promise<string> {
	const provider = isId(id) ? await deleteIdentity(trx, { userId, id, keptSession: 0 }) : undefined
	if (provider === undefined) throw new NotFound(unlinkedMessage)
	await deleteLinkRequests(trx, userId)
	const title = providerNames[provider] ?? provider
	await mailEachAddress(trx, userId, (to) => removedMail(to, title))
	return title
}

function removedMail(to: string, who: string): Mail {
	const link = { label: 'Log in', url: `${config().publicUrl}/login` }
	const text = `An admin unlinked ${who} from your ${siteName()} account, and ended all its sessions and access tokens.`
	const again = allowsPasswords()
		? 'You can link it again once you have logged in.'
		: 'If you log in with it again, we can send you a link that joins the two.'
	const closing = `${again} If you do not know why this happened, ask an admin.`
	return linkMail(to, `An admin unlinked ${who} at ${siteName()}`, text, link, closing)
}

/** Whether a member has a password that logs them in: of those who have left, also where passwords are disabled. */
export async function mayUsePassword(userId: number, executor: Executor = db()): Promise<boolean> {
	if (!(await hasPassword(userId, executor))) return false
	return allowsPasswords() || (await mayLogInAnyway(await findEmailById(executor, userId)))
}

/** The identities of a member, and the providers that they can link. */
export async function listLogins(viewer: Pick<SignedIn, 'id'>): Promise<LoginsView> {
	const [rows, byPassword] = await Promise.all([listIdentityRows(viewer.id), mayUsePassword(viewer.id)])
	const linked = rows.map(({ id, provider, name, affiliation, created_at, used_at }) => ({
		id,
		provider,
		title: capitalize(providerNames[provider] ?? provider),
		name,
		affiliation,
		linkedAt: created_at,
		usedAt: used_at,
	}))
	const open = listProviders().filter(({ name }) => !rows.some(({ provider }) => provider === name))
	return {
		linked,
		open: open.map(({ name }) => ({ name, title: capitalize(providerNames[name] ?? name) })),
		hasPassword: byPassword,
	}
}

/** Profiles at other sites that a member proved to own by logging in there. */
export async function verifiedLinks(userId: number): Promise<{ site: 'github'; url: string }[]> {
	const identity = await findIdentity(userId, 'github')
	return identity?.name ? [{ site: 'github', url: `${identity.issuer}/${identity.name}` }] : []
}
