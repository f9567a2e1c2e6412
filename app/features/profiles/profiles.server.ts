import { verifiedLinks } from '~/features/campus-login/identities.server.ts'
import { getEvidence } from '~/features/evidence/evidence.server.ts'
import { byStrength, type EvidenceLevel, type EvidencePieceView } from '~/features/evidence/evidence.view.ts'
import { isOwn, maySeeHidden } from '~/features/members/members.policy.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import {
	findFirstSteps,
	findProfile,
	listItemRows,
	type ProfileRow,
	type Reading,
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
 * A member's whole page, as far as this viewer may see it.
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
		skills: byStrength(row.skills, evidence),
		evidence,
		projects: projects.map(presentProject),
		certificates: certificates.map(presentCertificate),
		experiences: experiences.map(presentExperience),
	}
}

/**
 * A member's row as this viewer may read it, and as whom they do. A visitor reads the profile of a member who allows everybody to.
 * @throws NotFound when nobody has the username, NotAllowed for a visitor whom its member, or anybody, does not allow to see it,
 * TooMany for who reads many profiles of others
 */
export async function requireProfile(viewer: Viewer, username: string): Promise<{ row: ProfileRow; reading: Reading }> {
	const name = username.toLowerCase()
	if (viewer) await countReading(viewer, name)
	const whole = maySeeHidden(viewer, { username: name })
	const row = await findProfile(name, { viewerId: viewer?.id ?? null, whole })
	// Whoever is not told whether there is such a member is told the same of all names.
	if (!viewer && !row?.public_page) throw new NotAllowed('Log in to see this profile.')
	if (!row) throw new NotFound('No Data Found !')
	return { row, reading: whole ? 'whole' : viewer ? 'member' : 'visitor' }
}

/** A skill as the API tells it. */
interface SkillWithEvidence {
	name: string
	/** null without evidence that the viewer sees. */
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
 * A member's skills, the strongest first, with what they rest on: as much as the profile shows this viewer.
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
