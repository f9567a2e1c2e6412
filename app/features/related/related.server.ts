import { questionTag } from '~/features/questions/writing/change.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { rankAlike } from '~/features/search/similar/similar.server.ts'
import { log } from '~/lib/log.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { dropPages, sharedData } from '~/platform/cache/pages.server.ts'
import { hasEncoder } from '~/platform/encoder/encoder.server.ts'
import {
	noteNeighbours,
	noteOpened,
	pickSameSubject,
	readRelated,
	readWanted,
	type StoredRelated,
	storeRelated,
	type WantedQuestion,
} from './related.queries.server.ts'
import type { RelatedView } from './related.view.ts'

/*
 * The questions that ask something like another one are found by a job and stored with it; its page reads them as they are now
 * (docs/decisions/0112-related-questions.md).
 */

/** A page shows so many; more are stored, as some may be hidden or deleted before they are found again. */
const MAX_SHOWN = 5
const MAX_STORED = 8
/** What a question must score: more than while somebody types, as nobody asked to see these (docs/decisions/0112). */
const WORTH_SHOWING = 0.28
/** One of another subject must score so much: what is in another category and has no tag in common often shares everyday words alone. */
const WORTH_SHOWING_ELSEWHERE = 0.4

/** Questions that are read at once, for how long one run goes on, and how long it rests after each question. */
const BATCH = 20
const RUN_MS = 20_000
const PAUSE_MS = 20
/** Characters of a description that are read. */
const MAX_CHARACTERS = 4_000

/** The cache tag of what is related to one question. */
export function relatedTag(questionId: number): string {
	return `related:${questionId}`
}

/**
 * The questions that ask something like a published one, the best first, at most five; none until they are found.
 * @returns them as everybody may see them now, and the cache tags of all that may stand among them
 */
export async function listRelated(
	viewer: Viewer,
	questionId: number,
): Promise<{ rows: RelatedView[]; tags: readonly string[] }> {
	const read = async () => {
		const stored = await readRelated(questionId)
		// Nobody waits for it: the page is as it is.
		if (stored.isDue)
			noteOpened(questionId).catch((err) => log.warn({ err }, 'a question that was opened was not noted'))
		return stored
	}
	// A visitor's page is kept whole.
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
 * Finds what is related to questions that are new, have changed, or were opened without: called every minute by one process of the site.
 * @param awaitsMeaning leaves out those whose meaning is about to be known
 */
export async function findRelated(awaitsMeaning = hasEncoder()): Promise<void> {
	const until = Date.now() + RUN_MS
	let questions: WantedQuestion[]
	do {
		questions = await readWanted(BATCH, MAX_CHARACTERS, awaitsMeaning)
		for (const question of questions) {
			if (Date.now() > until) return
			await findRelatedOf(question)
			await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
		}
	} while (questions.length === BATCH)
}

/** A question that is new or says something new also belongs to others now, or no longer: those are found again next. */
async function findRelatedOf(question: WantedQuestion): Promise<void> {
	const { id, before, changed, wanted } = question
	const found = await rankAlike(question, { limit: MAX_STORED, least: WORTH_SHOWING })
	const near = await pickSameSubject(
		id,
		found.map((each) => each.id),
	)
	const ids = found.filter((each) => each.score >= WORTH_SHOWING_ELSEWHERE || near.has(each.id)).map((each) => each.id)
	if (!(await storeRelated(question, ids))) return
	if (changed) await noteNeighbours([...new Set([...before, ...ids])], wanted)
	if (ids.join() !== before.join()) await dropPages([relatedTag(id)])
}
