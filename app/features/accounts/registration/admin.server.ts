import { type Config, config } from '~/config.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceAccountChange } from '~/features/sessions/sessions.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { findAccount } from '../accounts.queries.server.ts'
import { areDemoAccountsOpen, demoEmails, isDemoAccount } from './demo-accounts.server.ts'
import {
	deleteClaims,
	endAccessByEmail,
	hasAdmin,
	insertClaim,
	isAdminClaimValid,
	lockClaims,
	redeemAdminClaim,
} from './registrations.queries.server.ts'

const usedClaim =
	'This link no longer works: it has been used, or the site already has an admin. While there is no admin, each start of the site prints a new link.'

/** Requires that a link can make somebody admin. @throws Invalid when it is no longer valid */
export async function requireAdminClaim(token: string): Promise<void> {
	if (!(await isAdminClaimValid(hashToken(token)))) throw new Invalid(usedClaim)
}

/** A member became admin though no admin appointed them. */
export interface Promotion {
	userId: number
	/** A clause. */
	reason: string
}

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Adds a promotion to the moderation log, which is above this feature. */
		'log-promotion': Promotion
	}
}

/** Has the moderation log say how a member became admin whom no admin appointed. Call it in the transaction. @param reason a clause */
export function logPromotion(trx: Executor, userId: number, reason: string): Promise<void> {
	return addJob('log-promotion', { userId, reason }, trx)
}

/**
 * Makes the viewer admin by the link that was printed at the start. Of concurrent requests, one succeeds.
 * @throws Invalid when the link is no longer valid, NotAllowed for a demo account
 */
export async function claimAdmin(viewer: SignedIn, token: string): Promise<void> {
	const account = await findAccount(viewer.id)
	if (!account || isDemoAccount(account.email))
		throw new NotAllowed('A demo account cannot become admin. Register your own account, then open the link again.')
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockClaims(trx)
			if (!(await isAdminClaimValid(hashToken(token), trx))) throw new Invalid(usedClaim)
			await redeemAdminClaim(trx, viewer.id)
			await logPromotion(trx, viewer.id, 'by the link that the start of the site printed')
		})
	await announceAccountChange(viewer.id)
	await recordSecurityEvent('admin-claimed', { userId: viewer.id })
}

/**
 * The path of a link that makes its follower admin, to be printed at the start; null where there is an admin, or ADMIN_EMAIL is
 * set. Only its hash is stored.
 */
export async function makeAdminClaim({ ADMIN_EMAIL }: Pick<Config, 'ADMIN_EMAIL'> = config()): Promise<string | null> {
	// An old link must not work again should all admins be logged out by the university.
	if (await hasAdmin()) await deleteClaims()
	else if (ADMIN_EMAIL === '') return storeClaim()
	return null
}

async function storeClaim(): Promise<string> {
	const token = newToken()
	await insertClaim(hashToken(token))
	return `/claim-admin?token=${token}`
}

/** Ends sessions and tokens of demo accounts where these are disabled; call it at the start. */
export async function closeDemoAccounts(settings: Config = config()): Promise<void> {
	if (!areDemoAccountsOpen(settings)) await endAccessByEmail(Object.values(demoEmails))
}
