import { questionTag } from '~/features/questions/questions.events.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { rankSimilar } from '~/features/search/similar/similar.server.ts'
import { log } from '~/lib/log.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { invalidatePages, sharedData } from '~/platform/cache/pages.server.ts'
import { hasEncoder } from '~/platform/encoder/encoder.server.ts'
import {
	type DueQuestion,
	markNeighboursDue,
	pickSameSubject,
	readDueQuestions,
	readRelated,
	recordOpened,
	type StoredRelated,
	storeRelated,
} from './related.queries.server.ts'
import type { RelatedView } from './related.view.ts'

/*
 * A job finds the related questions of a question and stores their ids; pages read their present state
 * (docs/decisions/0112-related-questions.md).
 */

/** Questions per page. More are stored, as some may be hidden or deleted before the next refresh. */
const MAX_SHOWN = 5
const MAX_STORED = 8
/** The minimum score. Higher than while typing, as nobody asked to see these (docs/decisions/0112). */
const WORTH_SHOWING = 0.28
/** The minimum score without a common category or tag: such questions often share everyday words only. */
const WORTH_SHOWING_ELSEWHERE = 0.4

/** Questions per batch, the length of one run, and the pause after each question. */
const BATCH = 20
const RUN_MS = 20_000
const PAUSE_MS = 20
/** Characters of a description that are read. */
const MAX_CHARACTERS = 4_000

/** The cache tag of a question's related questions. */
export function relatedTag(questionId: number): string {
	return `related:${questionId}`
}

/**
 * The related questions of a published one, best first, at most five; none until the job has run.
 * @returns their present state, and the cache tags of all stored ones
 */
export async function listRelated(
	viewer: Viewer,
	questionId: number,
): Promise<{ rows: RelatedView[]; tags: readonly string[] }> {
	const read = async () => {
		const stored = await readRelated(questionId)
		// Not awaited: the page does not depend on it.
		if (stored.isDue)
			recordOpened(questionId).catch((err) => log.warn({ err }, 'a question that was opened was not noted'))
		return stored
	}
	// A visitor's page is cached whole.
	const stored = viewer
		? await sharedData(`related ${questionId}`, [relatedTag(questionId)], read, tagsOf)
		: await read()
	const rows = stored.rows.slice(0, MAX_SHOWN).map((row) => ({
		url: questionUrl(row),
		title: row.title,
		solved: row.solved,
		commentCount: row.comment_count,
	}))
	return { rows, tags: tagsOf(stored) }
}

function tagsOf({ ids }: StoredRelated): string[] {
	return ids.map(questionTag)
}

/**
 * Finds the related questions of those that are new, changed or were opened; runs every minute in one process of the site.
 * @param awaitsMeaning leaves out questions whose embedding is about to be computed
 */
export async function findRelated(awaitsMeaning = hasEncoder()): Promise<void> {
	const until = Date.now() + RUN_MS
	let questions: DueQuestion[]
	do {
		questions = await readDueQuestions(BATCH, MAX_CHARACTERS, awaitsMeaning)
		for (const question of questions) {
			if (Date.now() > until) return
			await findRelatedOf(question)
			await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
		}
	} while (questions.length === BATCH)
}

/** A new or changed question may be related to others now, or no longer be: those become due. */
async function findRelatedOf(question: DueQuestion): Promise<void> {
	const { id, before, changed, wanted } = question
	const found = await rankSimilar(question, { limit: MAX_STORED, least: WORTH_SHOWING })
	const near = await pickSameSubject(
		id,
		found.map((each) => each.id),
	)
	const ids = found.filter((each) => each.score >= WORTH_SHOWING_ELSEWHERE || near.has(each.id)).map((each) => each.id)
	if (!(await storeRelated(question, ids))) return
	if (changed) await markNeighboursDue([...new Set([...before, ...ids])], wanted)
	if (ids.join() !== before.join()) await invalidatePages([relatedTag(id)])
}
