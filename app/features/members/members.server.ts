import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { sharedData } from '~/platform/cache/pages.server.ts'
import { mayEditProfile } from './members.policy.ts'
import { findIntroduction } from './members.queries.server.ts'
import { type Introduction, studiesText } from './members.view.ts'

/** As many skills as stand in one line beside a name. */
const skillsShown = 2

/**
 * Who a member is in one line, for pages that name them: “CSE, 2nd year · React, Node”; the same for members and visitors. Empty for
 * who is not in the community's list or says nothing of themselves to everybody.
 */
export async function getIntroduction(username: string): Promise<Introduction> {
	const row = await sharedData(`introduction ${username}`, [], () => findIntroduction(username, skillsShown))
	if (!row?.listed) return { summary: '', imported: row?.imported ?? false }
	const studies = studiesText({ branch: row.branch, year: row.current_year, semester: null })
	return { summary: [studies, row.skills.join(', ')].filter(Boolean).join(' · '), imported: row.imported }
}

/** The viewer, who may edit this profile. @throws NotAllowed */
export function requireOwner(viewer: Viewer, username: string): SignedIn {
	if (!mayEditProfile(viewer, { username: username.toLowerCase() }))
		throw new NotAllowed('Only the owner can edit this profile.')
	return viewer
}

/** The viewer, who may change this profile now; each change is counted. @throws NotAllowed, also for a suspended member, TooMany */
export async function requireProfileWriter(viewer: Viewer, username: string): Promise<SignedIn> {
	const member = requireOwner(viewer, username)
	await requireMayWrite(member.id)
	await countUse('profileSaves', member)
	return member
}
