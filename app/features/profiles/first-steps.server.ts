import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { dismissFirstSteps as dismiss, findFirstSteps } from './first-steps.queries.server.ts'
import { type FirstStepsView, SKILLS_WANTED } from './profiles.view.ts'

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
	return dismiss(id)
}
