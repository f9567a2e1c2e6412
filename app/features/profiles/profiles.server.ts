import { isOwn, maySeeHidden } from '~/features/members/members.policy.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import {
	findFirstSteps,
	findProfile,
	listCertificateRows,
	listProjectRows,
	storeFirstStepsDismissed,
} from './profiles.queries.server.ts'
import {
	type FirstStepsView,
	type ProfileView,
	presentCertificate,
	presentProfile,
	presentProject,
	SKILLS_WANTED,
} from './profiles.view.ts'

/**
 * A member's whole page, as far as this viewer may see it.
 * @throws NotFound when nobody has the username, TooMany for who reads many profiles of others
 */
export async function getProfile(viewer: SignedIn, username: string): Promise<ProfileView> {
	await countReading(viewer, username)
	const name = username.toLowerCase()
	const whole = maySeeHidden(viewer, { username: name })
	const row = await findProfile(name, { viewerId: viewer.id, whole })
	if (!row) throw new NotFound('No Data Found !')
	const [projects, certificates] = await Promise.all([
		listProjectRows(row.id, whole),
		listCertificateRows(row.id, whole),
	])
	return {
		...presentProfile(viewer, row),
		projects: projects.map(presentProject),
		certificates: certificates.map(presentCertificate),
	}
}

/** Counts the reading of somebody's profile, also of one that is not there; not of the viewer's own. @throws TooMany */
export async function countReading(viewer: SignedIn, username: string): Promise<void> {
	if (!isOwn(viewer, { username: username.toLowerCase() })) await countUse('profiles', viewer)
}

/** What the viewer has yet to do to be found; null for a visitor, when all is done, and when they put the steps away. */
export async function getFirstSteps(viewer: Viewer): Promise<FirstStepsView | null> {
	const row = viewer ? await findFirstSteps(viewer.id) : undefined
	if (!row || row.dismissed) return null
	const steps = { picture: row.has_picture, skills: Math.min(row.skill_count, SKILLS_WANTED), studies: row.has_studies }
	const isDone = steps.picture && steps.studies && steps.skills === SKILLS_WANTED
	return isDone ? null : steps
}

/** Puts the first steps away for good. */
export function dismissFirstSteps({ id }: SignedIn): Promise<void> {
	return storeFirstStepsDismissed(id)
}
