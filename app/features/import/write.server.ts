import { mainTagsOfAll } from '~/features/tags/tags.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { languageOfTags } from '~/platform/markdown/highlight.server.ts'
import { excerptOf, renderMarkdown } from '~/platform/markdown/render.server.ts'
import {
	type ImportedQuestion,
	importKey,
	insertComments,
	insertQuestions,
	type NewImportedComment,
	refreshImportedQuestions,
	reserveCommentIds,
} from './import.queries.server.ts'

/** A comment with its replies, with authors resolved to ids. */
export interface ThreadDraft {
	authorId: number
	body: string
	createdAt: Date
	isSolution: boolean
	score: number
	sourceId: string | null
	sourceUrl: string | null
	licence: string | null
	replies: ThreadDraft[]
}

export type QuestionDraft = Omit<ImportedQuestion, 'descriptionHtml' | 'excerpt' | 'activeAt'> & {
	comments: ThreadDraft[]
}

/**
 * Inserts questions with their threads, in the caller's transaction, and updates all counters.
 * @returns the numbers of new questions and comments; questions with a known source id are skipped
 */
export async function writeQuestions(
	trx: Executor,
	drafts: QuestionDraft[],
): Promise<{ questions: number; comments: number }> {
	const rendered = await Promise.all(drafts.map(renderQuestion))
	const tags = await mainTagsOfAll(
		trx,
		drafts.map((draft) => draft.tags),
	)
	const ids = await insertQuestions(
		trx,
		rendered.map(({ row }, index) => ({ ...row, tags: tags[index] ?? [] })),
	)
	if (ids.size === 0) return { questions: 0, comments: 0 }
	const fresh = rendered.filter(({ row }) => ids.has(importKey(row)))
	const free = await reserveCommentIds(
		trx,
		fresh.reduce((sum, { threads }) => sum + count(threads), 0),
	)
	const comments: NewImportedComment[] = []
	for (const { row, threads } of fresh) assignIds(threads, ids.get(importKey(row)) ?? 0, [], free, comments)
	await insertComments(trx, comments)
	await refreshImportedQuestions(trx, [...ids.values()])
	return { questions: ids.size, comments: comments.length }
}

type RenderedThread = Omit<ThreadDraft, 'replies'> & { bodyHtml: string; replies: RenderedThread[] }

async function renderQuestion({
	comments,
	...question
}: QuestionDraft): Promise<{ row: ImportedQuestion; threads: RenderedThread[] }> {
	const options = { language: languageOfTags(question.tags) }
	const [{ html: descriptionHtml, text }, threads] = await Promise.all([
		renderMarkdown(question.description, { ...options, topHeading: 2 }),
		renderThreads(comments, options),
	])
	const times = all(comments).map((comment) => comment.createdAt.getTime())
	const activeAt = new Date(Math.max(question.createdAt.getTime(), ...times))
	return { row: { ...question, descriptionHtml, excerpt: excerptOf(text), activeAt }, threads }
}

async function renderThreads(drafts: ThreadDraft[], options: { language?: string }): Promise<RenderedThread[]> {
	const inOrder = drafts.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
	return Promise.all(
		inOrder.map(async (draft) => ({
			...draft,
			bodyHtml: (await renderMarkdown(draft.body, options)).html,
			replies: await renderThreads(draft.replies, options),
		})),
	)
}

/** Assigns ids, parents before their replies, so that paths sort in reading order. */
function assignIds(
	threads: RenderedThread[],
	questionId: number,
	above: number[],
	free: number[],
	into: NewImportedComment[],
): void {
	for (const { replies, ...comment } of threads) {
		const id = free.shift()
		if (id === undefined) throw new Error('There are fewer ids than comments.')
		const path = [...above, id]
		into.push({ ...comment, id, questionId, path })
		assignIds(replies, questionId, path, free, into)
	}
}

function count(threads: { replies: unknown[] }[]): number {
	return threads.reduce((sum, thread) => sum + 1 + count(thread.replies as { replies: unknown[] }[]), 0)
}

function all(threads: ThreadDraft[]): ThreadDraft[] {
	return threads.flatMap((thread) => [thread, ...all(thread.replies)])
}
