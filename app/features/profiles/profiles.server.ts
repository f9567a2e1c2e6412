import { verifiedLinks } from '~/features/campus-login/linked-logins.server.ts'
import { getEvidence } from '~/features/evidence/evidence.server.ts'
import { type EvidenceLevel, type EvidencePieceView, sortByStrength } from '~/features/evidence/evidence.view.ts'
import { isOwnProfile, maySeeHidden } from '~/features/members/members.policy.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import {
	findFirstSteps,
	findProfile,
	listItemRows,
	type ProfileReader,
	type ProfileRow,
	storeFirstStepsDismissed,
} from './profiles.queries.server.ts'
import {
	type FirstStepsView,
	markProven,
	type ProfileView,
	presentCertificate,
	presentExperience,
	presentProfile,
	presentProject,
	SKILLS_WANTED,
} from './profiles.view.ts'

/**
 * A member's complete page, as far as this viewer may see it.
 * @throws as {@link requireProfile}
 */
export async function getProfile(viewer: Viewer, username: string): Promise<ProfileView> {
	const { row, reading } = await requireProfile(viewer, username)
	const [{ projects, certificates, experiences }, evidence, proven] = await Promise.all([
		listItemRows(row.id, reading),
		viewer ? getEvidence(viewer, row) : [],
		row.github ? verifiedLinks(row.id) : [],
	])
	const profile = presentProfile(viewer, row)
	return {
		...profile,
		social: markProven(
			profile.social,
			proven.map(({ url }) => url),
		),
		skills: sortByStrength(row.skills, evidence),
		evidence,
		projects: projects.map(presentProject),
		certificates: certificates.map(presentCertificate),
		experiences: experiences.map(presentExperience),
	}
}

/**
 * A member's row, restricted to what this viewer may read, and the viewer's level of access. Visitors can read only
 * profiles that their members made public.
 * @throws NotFound for an unknown username; NotAllowed for a visitor unless the profile exists and is public; TooManyRequests
 * for a viewer who reads many profiles of others
 */
export async function requireProfile(
	viewer: Viewer,
	username: string,
): Promise<{ row: ProfileRow; reading: ProfileReader }> {
	const name = username.toLowerCase()
	if (viewer) await countProfileView(viewer, name)
	const whole = maySeeHidden(viewer, { username: name })
	const row = await findProfile(name, { viewerId: viewer?.id ?? null, whole })
	// Visitors get the same error whether or not the member exists.
	if (!viewer && !row?.public_page) throw new NotAllowed('Log in to see this profile.')
	if (!row) throw new NotFound('No Data Found !')
	return { row, reading: whole ? 'whole' : viewer ? 'member' : 'visitor' }
}

/** A skill in the API. */
interface SkillWithEvidence {
	name: string
	/** null without evidence that is visible to the viewer. */
	level: EvidenceLevel | null
	evidence: {
		solutions: number
		answers: number
		projects: number
		certificates: number
		pieces: EvidencePieceView[]
	} | null
}

/**
 * A member's skills with their evidence, strongest first, as far as the profile shows them to this viewer.
 * @throws as {@link getProfile}
 */
export async function listSkillsWithEvidence(viewer: SignedIn, username: string): Promise<SkillWithEvidence[]> {
	const { skills, evidence } = await getProfile(viewer, username)
	const known = new Map(evidence.map((one) => [one.skill, one]))
	return skills.map((name) => {
		const { level, counts, pieces } = known.get(name) ?? {}
		if (!level || !counts || !pieces) return { name, level: null, evidence: null }
		const { solution: solutions, answer: answers, project: projects, certificate: certificates } = counts
		return { name, level, evidence: { solutions, answers, projects, certificates, pieces } }
	})
}

/** Counts a view of somebody else's profile against the rate limit, even if it does not exist. @throws TooManyRequests */
export async function countProfileView(viewer: SignedIn, username: string): Promise<void> {
	if (!isOwnProfile(viewer, { username: username.toLowerCase() })) await countUse('profiles', viewer)
}

/** The viewer's first steps; null for a visitor, if all are done, and if they were dismissed. */
export async function getFirstSteps(viewer: Viewer): Promise<FirstStepsView | null> {
	const row = viewer ? await findFirstSteps(viewer.id) : undefined
	if (!row || row.dismissed) return null
	const steps = { picture: row.has_picture, skills: Math.min(row.skill_count, SKILLS_WANTED), studies: row.has_studies }
	const isDone = steps.picture && steps.studies && steps.skills === SKILLS_WANTED
	return isDone ? null : steps
}

/** Dismisses the first steps permanently. */
export function dismissFirstSteps({ id }: SignedIn): Promise<void> {
	return storeFirstStepsDismissed(id)
}
