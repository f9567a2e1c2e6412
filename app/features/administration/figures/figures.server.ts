import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { getCategory, listCategories } from '~/features/tags/tags.server.ts'
import type { CategoryView } from '~/features/tags/tags.view.ts'
import { NotFound } from '~/lib/errors.ts'
import { pluralize } from '~/lib/text.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { lockAdmin } from '../admins.server.ts'
import {
	hasFigures,
	listFailedJobs,
	listFigures,
	retryFailedJobs,
	writeMemberFigures,
	writeQuestionFigures,
} from './figures.queries.server.ts'
import { type FailedJobs, FIGURE_WEEKS, KEPT_WEEKS, type WeekFigures } from './figures.view.ts'

/** Counts the displayed weeks. It reads a year of data, so a job runs it at night. */
export async function countFigures(): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await writeMemberFigures(trx)
			await writeQuestionFigures(trx)
		})
}

interface Figures {
	weeks: WeekFigures[]
	categories: CategoryView[]
	/** Slug of the category; '' for all. */
	category: string
	failed: FailedJobs[]
}

/** Statistics by week, and failed jobs. @param slug of a category, or '' @throws NotAllowed, NotFound for an unknown category */
export async function readFigures(viewer: Viewer, slug: string): Promise<Figures> {
	requireAdmin(viewer)
	// A new site should not have to wait for the night.
	if (!(await hasFigures())) await countFigures()
	const chosen = slug === '' ? null : await getCategory(slug)
	const [weeks, categories, failed] = await Promise.all([
		listFigures(chosen?.id ?? 0, FIGURE_WEEKS),
		listCategories(),
		listFailedJobs(),
	])
	return { weeks, categories, category: chosen?.slug ?? '', failed: failed.map(withoutAddresses) }
}

/** All stored weeks, for all categories. @throws NotAllowed */
export async function readAllWeeks(viewer: Viewer): Promise<WeekFigures[]> {
	requireAdmin(viewer)
	return listFigures(0, KEPT_WEEKS)
}

/** The error of a mail server may contain the recipient. */
function withoutAddresses({ error, ...job }: FailedJobs): FailedJobs {
	return { ...job, error: error.replace(/[^\s<>"'(]+@[^\s<>"')]+/g, '…') }
}

/** Retries failed jobs of a kind. @returns their number @throws NotAllowed; NotFound if there are none by now */
export async function retryJobs(viewer: Viewer, task: string): Promise<number> {
	const actor = requireAdmin(viewer)
	return db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			const count = await retryFailedJobs(trx, task)
			if (count === 0) throw new NotFound('No such job is left.')
			const about = { kind: MEMBER_SUBJECT, targetId: actor.id, memberId: actor.id, title: task }
			await addLogRow(trx, { actorId: actor.id, act: 'retry jobs', ...about, note: pluralize(count, 'job') })
			return count
		})
}
