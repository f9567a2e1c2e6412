import type { AnswerView } from '~/features/questions/question.view.ts'
import { MAX_POSTS_COUNTED } from '~/features/questions/questions.limits.ts'
import { commentPath } from '~/features/search/search.view.ts'
import { decodeTimeCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { type AnswerKind, type AnswerRowsInput, countPostRows, listAnswerRows } from './answers.queries.server.ts'

interface AnswersInput extends Omit<AnswerRowsInput, 'after'> {
	/** Where the previous page ended. */
	cursor: string | null
}

/**
 * A member's comments, newest first, without hidden, deleted and pending ones, even for their author.
 * @throws Invalid for a malformed cursor
 */
export async function listAnswers({ author, which, mine, cursor, limit }: AnswersInput): Promise<Page<AnswerView>> {
	const after = cursor ? decodeTimeCursor(cursor) : null
	const found = await listAnswerRows({ author, which, mine, after, limit: limit + 1 })
	const { rows, next } = pageOf(found, limit, ({ created_at, id }) => [created_at, id])
	return {
		rows: rows.map((row) => ({
			id: row.id,
			url: commentPath(row.id),
			title: row.title,
			excerpt: row.excerpt.trim(),
			solution: row.is_solution,
			score: row.score,
			createdAt: row.created_at,
		})),
		next,
	}
}

/**
 * How many questions, answers, solutions and other comments a member has in the forum, each counted up to one more than {@link
 * MAX_POSTS_COUNTED}.
 */
export function countPosts(author: string): Promise<Record<'queries' | AnswerKind, number>> {
	return countPostRows(author, MAX_POSTS_COUNTED + 1)
}
