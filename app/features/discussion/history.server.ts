import { diffLines, diffWordsWithSpace } from 'diff'
import { presentAuthor } from '~/features/members/members.view.ts'
import { mayReadHistory } from '~/features/questions/questions.policy.ts'
import { findQuestion } from '~/features/questions/questions.queries.server.ts'
import { listRevisionRows, type RevisionRow } from '~/features/questions/writing/writing.queries.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { resolveTags } from '~/features/tags/tags.server.ts'
import { isId } from '~/lib/checks.ts'
import { NoSuch, NotAllowed } from '~/lib/errors.ts'
import { startOf } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { decodeIdCursor, pageOf } from '~/platform/http/cursors.ts'
import type { ChangeView, DiffPart, HistoryView } from './comment.view.ts'
import { findComment } from './comments.queries.server.ts'

const EDITS_PER_PAGE = 10

/** The fields of a text in comparable form. */
type Texts = Record<string, string>

/**
 * The edits of a question, newest first.
 * @throws NotAllowed for a visitor, NotFound for a question that is gone, Invalid for a malformed cursor
 */
export async function readQuestionHistory(viewer: Viewer, id: number, cursor: string | null): Promise<HistoryView> {
	requireReader(viewer)
	const question = isId(id) ? await findQuestion(id) : undefined
	if (!question) throw new NoSuch('query')
	const place = cursor === null ? null : decodeIdCursor(cursor)
	const stored = await listRevisionRows({ questionId: id }, place, EDITS_PER_PAGE + 2)
	// Moderators rename tags of many questions at once, which is no edit of them.
	const tags = await resolveTags(
		db(),
		stored.map((row) => row.tags ?? []),
	)
	const rows = stored.map((row, index) => ({ ...row, tags: tags[index] ?? [] }))
	const now = {
		title: question.title,
		description: question.description,
		tags: question.tags.join(', '),
		category: question.category_title,
	}
	return {
		title: question.title,
		url: questionUrl(question),
		...page(rows, cursor === null ? questionTexts(now) : null, ofQuestion),
	}
}

/** As {@link readQuestionHistory}, for a comment. */
export async function readCommentHistory(viewer: Viewer, id: number, cursor: string | null): Promise<HistoryView> {
	requireReader(viewer)
	const comment = isId(id) ? await findComment(id) : undefined
	const question = comment && (await findQuestion(comment.question_id))
	if (!question) throw new NoSuch('comment')
	const place = cursor === null ? null : decodeIdCursor(cursor)
	const rows = await listRevisionRows({ commentId: id }, place, EDITS_PER_PAGE + 2)
	return {
		title: question.title,
		url: `/forum/comment/${id}`,
		...page(rows, cursor === null ? { Text: comment.body } : null, ({ body }) => ({ Text: body ?? '' })),
	}
}

function requireReader(viewer: Viewer): void {
	if (!mayReadHistory(viewer)) throw new NotAllowed('Log in to read what a text said before its edits.')
}

/** @param now the current text; null on a later page, whose first row is the last edit of the previous page */
function page(
	rows: RevisionRow[],
	now: Texts | null,
	textsOf: (row: RevisionRow) => Texts,
): Pick<HistoryView, 'edits' | 'next'> {
	const versions = [...(now ? [now] : []), ...rows.map(textsOf)]
	const { rows: shown, next } = pageOf(now ? rows : rows.slice(1), EDITS_PER_PAGE, ({ id }) => [id])
	const deadline = Date.now() + PAGE_LIMIT_MS
	return {
		edits: shown.map((row, index) => ({
			at: row.made_at,
			by: editorOf(row),
			byModerator: row.by_moderator,
			changes: changes(versions[index + 1] ?? {}, versions[index] ?? {}, deadline),
		})),
		next,
	}
}

function editorOf(row: RevisionRow): HistoryView['edits'][number]['by'] {
	const { image: _, ...editor } = presentAuthor({ ...row, image: null })
	return editor
}

function changes(before: Texts, after: Texts, deadline: number): ChangeView[] {
	return Object.keys(after)
		.filter((field) => before[field] !== after[field])
		.map((field) => ({ field, parts: diffText(before[field] ?? '', after[field] ?? '', deadline) }))
}

function questionTexts(of: Record<'title' | 'description' | 'tags' | 'category', string>): Texts {
	return { Title: of.title, Category: of.category, Tags: of.tags, Description: of.description }
}

function ofQuestion({ title, description, tags, category }: RevisionRow): Texts {
	return questionTexts({
		title: title ?? '',
		description: description ?? '',
		tags: tags?.join(', ') ?? '',
		category: category ?? '',
	})
}

/** Texts with more differences than this are compared by line: the cost grows with the square of the differences. */
const MAX_EDITS = 400
/** Milliseconds for comparing all texts of a page; those that are left are shown whole. */
const PAGE_LIMIT_MS = 150
/** Of a long unchanged passage, only this many characters at each end are shown. */
const MAX_SAME_LENGTH = 600

/** What an edit removed and added, by word, or by line where they differ too much; after a deadline, as of `Date.now()`, both texts whole. */
function diffText(before: string, after: string, deadline: number): DiffPart[] {
	const options = () => ({ maxEditLength: MAX_EDITS, timeout: deadline - Date.now() })
	// Both functions split the texts before they look at the time.
	const isInTime = () => Date.now() < deadline
	const found = (isInTime() && diffWordsWithSpace(before, after, options())) ||
		(isInTime() && diffLines(before, after, options())) || [
			{ value: before, removed: true },
			{ value: after, added: true },
		]
	return found.map(({ value, added, removed }) => {
		if (added) return { kind: 'added', text: value }
		if (removed) return { kind: 'removed', text: value }
		return { kind: 'same', text: shortened(value) }
	})
}

function shortened(text: string): string {
	if (text.length <= MAX_SAME_LENGTH) return text
	return `${startOf(text, MAX_SAME_LENGTH / 2)} […] ${text.slice(startOf(text, text.length - MAX_SAME_LENGTH / 2).length)}`
}
