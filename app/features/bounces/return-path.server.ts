import { createHmac, timingSafeEqual } from 'node:crypto'
import { config } from '~/config.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { listAddresses } from './bounces.queries.server.ts'

/*
 * The address to which a mail comes back that cannot be delivered: that of MAIL_BOUNCE_ADDRESS with a token behind a plus sign. The token says
 * whose account the mail was about and when it was sent, and only the site can make it: who forges a report marks nobody. It is in lower case
 * and short enough for the 64 characters before the @.
 */

/** Reports on a mail that is older say nothing: mail servers give up within a week. In seconds. */
const LIFETIME = 14 * 86_400
const CLOCK_TOLERANCE = 300
/** Hexadecimal digits of a signature: 96 bits. */
const SIGNATURE = 24

/** A mail that this site sent. */
export interface SentMail {
	userId: number
	/** To which address of the account. */
	email: string
	sentAt: Date
}

/** Where a mail comes back to; undefined without MAIL_BOUNCE_ADDRESS. @param account null where the address is nobody's */
export function returnPathFor(
	account: { user_id: number; email: string } | null,
	now = new Date(),
): string | undefined {
	const { MAIL_BOUNCE_ADDRESS } = config()
	if (!MAIL_BOUNCE_ADDRESS || !account) return MAIL_BOUNCE_ADDRESS
	const seconds = Math.floor(now.getTime() / 1_000)
	const { user_id, email } = account
	const token = `${user_id.toString(36)}-${seconds.toString(36)}-${sign('bounce', user_id, seconds, email)}`
	return MAIL_BOUNCE_ADDRESS.replace('@', `+${token}@`)
}

/**
 * Which mail an address is the return path of, if this site made it, and the account still has the address that it was sent to.
 * @param path a return path, or the token of one alone
 */
export async function findMail(path: string, now = new Date()): Promise<SentMail | null> {
	const token = tokenOf(path.trim().toLowerCase())
	const [, id = '', time = '', signature = ''] = /^([0-9a-z]{1,7})-([0-9a-z]{1,7})-([0-9a-f]{24})$/.exec(token) ?? []
	const [userId, seconds] = [Number.parseInt(id, 36), Number.parseInt(time, 36)]
	const age = now.getTime() / 1_000 - seconds
	if (!(userId > 0 && userId < 2 ** 31) || !(age > -CLOCK_TOLERANCE && age < LIFETIME)) return null
	for (const email of await listAddresses(userId))
		if (isSame(signature, sign('bounce', userId, seconds, email)))
			return { userId, email, sentAt: new Date(seconds * 1_000) }
	return null
}

function tokenOf(path: string): string {
	const [place = '', domain = ''] = (config().MAIL_BOUNCE_ADDRESS ?? '').toLowerCase().split('@')
	const [before = '', after] = path.split('@')
	if (after === undefined) return before
	return after === domain && before.startsWith(`${place}+`) ? before.slice(place.length + 1) : ''
}

/** For how long the link of a test mail works, in seconds. It lets nobody in. */
const TEST_LIFETIME = 86_400

/** What a test mail carries to an address of an account, so that its member can say that it arrived. */
export function testToken(userId: number, email: string, now = Date.now()): string {
	const until = Math.floor(now / 1_000) + TEST_LIFETIME
	return `${until.toString(36)}-${sign('test', userId, until, email)}`
}

/** The address to which a test mail with this token was sent, of those that the account has; null for any other token, and for an old one. */
export function addressOfTest(
	token: string,
	{ userId, emails }: { userId: number; emails: readonly string[] },
	now = Date.now(),
): string | null {
	const [, time = '', signature = ''] = /^([0-9a-z]{1,7})-([0-9a-f]{24})$/.exec(token) ?? []
	const until = Number.parseInt(time, 36)
	if (!(until > now / 1_000)) return null
	return emails.find((email) => isSame(signature, sign('test', userId, until, email))) ?? null
}

/** The key is the site's secret; the purpose keeps these signatures apart from each other and everybody else's. */
function sign(purpose: 'bounce' | 'test', userId: number, seconds: number, email: string): string {
	const claim = `mail ${purpose}:${userId}:${seconds}:${email}`
	return createHmac('sha256', authSecret()).update(claim).digest('hex').slice(0, SIGNATURE)
}

function isSame(given: string, right: string): boolean {
	return given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right))
}
