import { createHmac, timingSafeEqual } from 'node:crypto'
import { config } from '~/config.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { listMemberAddresses } from './bounces.queries.server.ts'

/*
 * The return path of a mail: MAIL_BOUNCE_ADDRESS with a token after a plus sign. The token holds the account and the time of sending. It is
 * signed, so that forged reports have no effect, in lower case, and fits into the 64 characters before the @.
 */

/** In seconds. Reports on older mails are ignored: mail servers give up within a week. */
const LIFETIME = 14 * 86_400
const CLOCK_TOLERANCE = 300
/** Length of a signature in hexadecimal digits: 96 bits. */
const SIGNATURE = 24

/** A mail that this site sent. */
export interface SentMail {
	userId: number
	/** The recipient, an address of the account. */
	email: string
	sentAt: Date
}

/** The return path of a mail; undefined without MAIL_BOUNCE_ADDRESS. @param account null if nobody has the address */
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
 * The mail of a return path; null if this site did not make it, or the account no longer has the address.
 * @param path a return path, or only its token
 */
export async function findMailByReturnPath(path: string): Promise<SentMail | null> {
	const token = tokenOf(path.trim().toLowerCase())
	const [, id = '', time = '', signature = ''] = /^([0-9a-z]{1,7})-([0-9a-z]{1,7})-([0-9a-f]{24})$/.exec(token) ?? []
	const [userId, seconds] = [Number.parseInt(id, 36), Number.parseInt(time, 36)]
	const age = Date.now() / 1_000 - seconds
	if (!(userId > 0 && userId < 2 ** 31) || !(age > -CLOCK_TOLERANCE && age < LIFETIME)) return null
	for (const email of await listMemberAddresses(userId))
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

/** Seconds that the link of a test mail is valid. It does not log anybody in. */
const TEST_LIFETIME = 86_400

/** The token in a test mail, which proves that it arrived at this address. */
export function testMailToken(userId: number, email: string): string {
	const until = Math.floor(Date.now() / 1_000) + TEST_LIFETIME
	return `${until.toString(36)}-${sign('test', userId, until, email)}`
}

/** The address, among those of the account, that the test mail with this token was sent to; null for an invalid or expired token. */
export function addressOfTestMail(
	token: string,
	{ userId, emails }: { userId: number; emails: readonly string[] },
): string | null {
	const [, time = '', signature = ''] = /^([0-9a-z]{1,7})-([0-9a-f]{24})$/.exec(token) ?? []
	const until = Number.parseInt(time, 36)
	if (!(until > Date.now() / 1_000)) return null
	return emails.find((email) => isSame(signature, sign('test', userId, until, email))) ?? null
}

/** Signs with the site's secret. The purpose separates these signatures from each other and from all others. */
function sign(purpose: 'bounce' | 'test', userId: number, seconds: number, email: string): string {
	const claim = `mail ${purpose}:${userId}:${seconds}:${email}`
	return createHmac('sha256', authSecret()).update(claim).digest('hex').slice(0, SIGNATURE)
}

function isSame(given: string, right: string): boolean {
	return given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right))
}
