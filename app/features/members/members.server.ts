import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { sharedData } from '~/platform/cache/pages.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { mayEditProfile } from './members.policy.ts'
import { findIntroduction } from './members.queries.server.ts'
import { type Introduction, studiesText } from './members.view.ts'

/** Skills that fit into one line beside a name. */
const MAX_SKILLS_SHOWN = 2

/**
 * A member in one line: “CSE, 2nd year · React, Node”. The same for members and visitors; empty for members who are not listed or share
 * nothing with everybody.
 */
export async function getIntroduction(username: string): Promise<Introduction> {
	const row = await sharedData(`introduction ${username}`, [], () => findIntroduction(username, MAX_SKILLS_SHOWN))
	if (!row?.listed) return { summary: '', imported: row?.imported ?? false }
	const studies = studiesText({ branch: row.branch, year: row.current_year, semester: null })
	return { summary: [studies, row.skills.join(', ')].filter(Boolean).join(' · '), imported: row.imported }
}

/** Returns the viewer if they may edit this profile. @throws NotAllowed */
export function requireOwner(viewer: Viewer, username: string): SignedIn {
	if (!mayEditProfile(viewer, { username: username.toLowerCase() }))
		throw new NotAllowed('Only the owner can edit this profile.')
	return viewer
}

/**
 * Returns the viewer if they may change this profile now, and counts the change.
 * @throws NotAllowed, also for a suspended member, TooManyRequests
 */
export async function requireProfileWriter(viewer: Viewer, username: string): Promise<SignedIn> {
	const member = requireOwner(viewer, username)
	await requireMayWrite(member.id)
	await countUse('profileSaves', member)
	return member
}

/**
 * Requires that a member may write, and locks them until the transaction ends, so that nothing is written after a suspension. Call it after
 * all other locks.
 * @throws NotAllowed
 */
export async function lockMayWrite(trx: Executor, userId: number): Promise<void> {
	await lockMember(trx, userId)
	await requireMayWrite(userId, trx)
}
