import { createHmac, timingSafeEqual } from 'node:crypto'
import { config } from '~/config.server.ts'
import { authSecret } from '~/features/accounts/security/credentials.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { db } from '~/platform/db/db.server.ts'
import { refuseMailsOf, setMail } from './digest.queries.server.ts'

/** RFC 8058 names no time; a mail older than this is hardly the reason to unsubscribe. Milliseconds. */
const linkWorks = 90 * 86_400_000

const oldLink = 'This link is incomplete or has expired. You can turn emails off in your settings.'

/** What a link ends: all mails, or those about messages. */
export type Unwanted = 'all' | 'message'

/** The address that ends a member's mails without a login (RFC 8058). */
export function unsubscribeUrl(userId: number, what: Unwanted = 'all', now = Date.now()): string {
	const claim = `${what}-${userId}.${now + linkWorks}`
	return `${config().publicUrl}/unsubscribe?token=${claim}.${sign(claim)}`
}

/** Whom a link unsubscribes, and from what. @throws Invalid when it was not made here, or is too old */
export function readUnsubscribe(token: string, now = Date.now()): { userId: number; what: Unwanted } {
	const parts = /^(((?:(all|message)-)?(\d{1,10}))\.(\d{1,15}))\.([\w-]{43})$/.exec(token) ?? []
	const [, claim = '', , what = 'all', userId, expires, signature = ''] = parts
	const given = Buffer.from(signature)
	const right = Buffer.from(sign(claim))
	if (given.length !== right.length || !timingSafeEqual(given, right) || Number(expires) < now)
		throw new Invalid(oldLink)
	return { userId: Number(userId), what: what as Unwanted }
}

/** Ends the mails that the link names. Done twice it is as done once. @throws Invalid */
export async function unsubscribe(token: string): Promise<void> {
	const { userId, what } = readUnsubscribe(token)
	const done = what === 'all' ? await setMail(db(), userId, 'off') : await refuseMailsOf(userId, what)
	if (!done) throw new Invalid(oldLink)
}

/** The key is the site's secret, the prefix keeps these signatures apart from everybody else's. */
function sign(claim: string): string {
	return createHmac('sha256', authSecret()).update(`unsubscribe:${claim}`).digest('base64url')
}
