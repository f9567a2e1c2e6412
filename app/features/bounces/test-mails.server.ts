import { config } from '~/config.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	clearBounceMarks,
	clearComplaints,
	listAddressProblems,
	listMemberAddresses,
} from './bounces.queries.server.ts'
import { addressesPath, EXPIRED_TEST_MAIL } from './bounces.view.ts'
import { addressOfTestMail, testMailToken } from './return-path.server.ts'

/* How a member proves that mail arrives again: by the link in a test mail, which only a reader of the mailbox has. */

/** Sends a test mail to one of the viewer's addresses that bounced. @throws Invalid if it did not, TooManyRequests */
export async function requestTestMail(viewer: SignedIn, email: string): Promise<void> {
	const problems = await listAddressProblems(viewer.id)
	if (!problems.some((one) => one.email === email && one.marked_at))
		throw new Invalid('No mail to this address came back.')
	await countUse('testMails', viewer)
	await addJob('send-mail', testMail(email, testMailToken(viewer.id, email)))
}

/** The viewer's address that the test mail with this token was sent to; null if there is none. Changes nothing. */
export async function findTestMailAddress(viewer: SignedIn, token: string): Promise<string | null> {
	return token === ''
		? null
		: addressOfTestMail(token, { userId: viewer.id, emails: await listMemberAddresses(viewer.id) })
}

/**
 * Clears the mark of the address that the test mail with this token was sent to.
 * @returns the address
 * @throws Invalid for any other token
 */
export async function confirmTestMail(viewer: SignedIn, token: string): Promise<string> {
	const email = await findTestMailAddress(viewer, token)
	if (email === null) throw new Invalid(EXPIRED_TEST_MAIL)
	await clearBounceMarks(db(), viewer.id, email)
	return email
}

/** Turns optional mails on again for a member who reported one as spam. */
export function resumeMails(viewer: SignedIn): Promise<void> {
	return clearComplaints(viewer.id)
}

function testMail(to: string, token: string): Mail {
	const { publicUrl } = config()
	const text = `You asked ${siteName()} to find out whether mail to this address arrives again. It does: please say so on the page below.`
	const link = { label: 'The mail arrived', url: `${publicUrl}${addressesPath}?token=${token}` }
	const closing = 'The link works for a day, after you log in. If this was not you, you can ignore this email.'
	return linkMail(to, `Test mail of ${siteName()}`, text, link, closing)
}
