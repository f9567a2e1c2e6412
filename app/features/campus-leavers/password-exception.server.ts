import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { isAllowedDomain } from '~/features/accounts/registration/names.server.ts'
import { SAME_OWNER_DAYS } from '~/features/bounces/bounces.policy.ts'
import { domainOf } from '~/features/campus/campus.view.ts'
import { universityOfDomain } from '~/features/campus/universities.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { findLeaver, hasLeavers } from './leavers.queries.server.ts'
import { leaversSection } from './section.server.ts'

const DAY_MS = 86_400_000

/*
 * Where the login of the university is the only way in, members who have left use a password: they have to be able to get at their data,
 * and to keep or delete their account.
 */
export const passwordException = {
	isOpen: async () => !allowsPasswords() && (await hasLeavers()),
	mayLogIn: async (email: string) => (await findLeaver(email)) !== undefined,
	async mayReset(email: string): Promise<boolean> {
		const leaver = await findLeaver(email)
		if (!leaver?.is_confirmed) return false
		return Date.now() - leaver.left_campus_at.getTime() < SAME_OWNER_DAYS * DAY_MS || !isOfUniversity(email)
	},
}

/** Whether an address is of a university, which may give it to somebody else. */
export function isOfUniversity(email: string): boolean {
	const { domains } = siteSettings(leaversSection)
	return universityOfDomain(domainOf(email)) !== null || (domains.length > 0 && isAllowedDomain(email, domains))
}
