import { config } from '~/config.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { letter, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { clearComplaints, clearMarks, listAddresses, listAddressProblems } from './bounces.queries.server.ts'
import { addressesPath, OLD_TEST } from './bounces.view.ts'
import { addressOfTest, testToken } from './return-path.server.ts'

/* How a member shows that mail arrives at an address again: by the link of a test mail, which only who reads it can follow. */

/**
 * Mails a test to an address of the viewer from which mails came back.
 * @throws Invalid where none did, TooMany
 */
export async function requestTest(viewer: SignedIn, email: string): Promise<void> {
	const problems = await listAddressProblems(viewer.id)
	if (!problems.some((one) => one.email === email && one.marked_at))
		throw new Invalid('No mail to this address came back.')
	await countUse('testMails', viewer)
	await addJob('send-mail', testLetter(email, testToken(viewer.id, email)))
}

/** The address of the viewer to which a test mail with this token was sent; null for none. Changes nothing. */
export async function findTest(viewer: SignedIn, token: string): Promise<string | null> {
	return token === '' ? null : addressOfTest(token, { userId: viewer.id, emails: await listAddresses(viewer.id) })
}

/** Mail arrives again at the address to which a test mail with this token was sent. @returns it @throws Invalid for any other token */
export async function confirmTest(viewer: SignedIn, token: string): Promise<string> {
	const email = await findTest(viewer, token)
	if (email === null) throw new Invalid(OLD_TEST)
	await clearMarks(db(), viewer.id, email)
	return email
}

/** Sends a member mails of convenience again, who had reported one as spam. */
export function resumeMails(viewer: SignedIn): Promise<void> {
	return clearComplaints(viewer.id)
}

function testLetter(to: string, token: string): Mail {
	const { publicUrl } = config()
	const text = `You asked ${siteName()} to find out whether mail to this address arrives again. It does: please say so on the page below.`
	const link = { label: 'The mail arrived', url: `${publicUrl}${addressesPath}?token=${token}` }
	const closing = 'The link works for a day, after you log in. If this was not you, you can ignore this email.'
	return letter(to, `Test mail of ${siteName()}`, text, link, closing)
}
