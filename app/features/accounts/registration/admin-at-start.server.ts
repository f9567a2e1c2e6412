import { type Config, config } from '~/config.server.ts'
import { hashToken, newToken } from '../security/secret.server.ts'
import { hasAdmin, insertClaim, shutOut } from './admin.queries.server.ts'
import { areDemoAccountsOpen, demoEmails } from './demo-accounts.server.ts'

/**
 * The path of a link that makes the member who follows it admin, for the start to print; null where somebody is admin, or ADMIN_EMAIL
 * says who shall be. Only its hash is kept.
 */
export async function makeAdminClaim({ ADMIN_EMAIL }: Pick<Config, 'ADMIN_EMAIL'> = config()): Promise<string | null> {
	if (ADMIN_EMAIL !== '' || (await hasAdmin())) return null
	const token = newToken()
	await insertClaim(hashToken(token))
	return `/claim-admin?token=${token}`
}

/** Ends what the demo accounts left open, where they must not be entered; to be called at the start. */
export async function closeDemoAccounts(settings: Config = config()): Promise<void> {
	if (!areDemoAccountsOpen(settings)) await shutOut(Object.values(demoEmails))
}
