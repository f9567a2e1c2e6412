import { type AuthorView, presentAuthor } from '~/features/members/members.view.ts'
import { mayChangePending, maySeeUnpublished } from '~/features/moderation/moderation.policy.ts'
import {
	type OriginView,
	originView,
	presentStatus,
	type UnpublishedView,
	type VotedView,
} from '~/features/questions/question.view.ts'
import { mayAccept, mayDelete, mayEdit } from '~/features/questions/questions.policy.ts'
import type { OutdatedView } from '~/features/upkeep/upkeep.view.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import type { CommentRow } from './comments.queries.server.ts'

/** The author of a page's question. */
export interface Asker {
	/** Of the account that everybody sees. */
	askerUsername: string
	/** Whether the viewer is the member behind it, where it is a pseudonym. */
	isMine?: boolean
	/** Whether only deleting is possible, as the question is gone or not published. Pages leave it out: open forms stay, with their text. */
	isClosed?: boolean
}

/**
 * The comments of a page as a tree. Deleted ones stay only as placeholders for their replies.
 * @param rows in reading order; a row whose parent is missing is a root
 */
export function presentThread(viewer: Viewer, rows: CommentRow[], asker: Asker): CommentView[] {
	const views = new Map<number, CommentView>()
	const roots: CommentView[] = []
	for (const row of rows) {
		const view = presentComment(viewer, row, asker)
		views.set(row.id, view)
		const parent = row.parent_id === null ? undefined : views.get(row.parent_id)
		if (parent) parent.replies.push(view)
		else roots.push(view)
	}
	return roots.filter(isWorthShowing)
}

/** One comment without its replies. */
export function presentComment(viewer: Viewer, row: CommentRow, asker: Asker): CommentView {
	const owned = { authorId: row.author_id }
	const isPublished = row.status === 'published'
	const unpublished = presentStatus(row)
	const isOwnPending = unpublished !== null && mayChangePending(viewer, { ...owned, status: unpublished.status })
	const editable = !asker.isClosed && (isOwnPending || (isPublished && mayEdit(viewer, owned)))
	const isVisible = isPublished || (unpublished !== null && maySeeUnpublished(viewer, owned))
	return {
		id: row.id,
		author: isVisible ? presentAuthor(row) : null,
		bodyHtml: isVisible ? row.body_html : '',
		body: editable ? row.body : null,
		createdAt: row.created_at,
		editedAt: row.edited_at,
		version: row.version,
		deleted: !isVisible,
		unpublished: unpublished && (isVisible ? unpublished : { status: unpublished.status, rejected: false, reason: '' }),
		solution: row.is_solution,
		chosenAt: row.chosen_at,
		outdated: row.outdated,
		saysOutdated: false,
		mayChoose: isPublished && !asker.isClosed && choosing(viewer, asker),
		vote: 0,
		own: viewer?.id === row.author_id,
		bookmarked: false,
		score: row.score,
		depth: row.depth,
		// All who left share one account, and nobody sees which texts are by the same person.
		byAsker: isVisible && row.username === asker.askerUsername && row.author_id !== FORMER_MEMBER,
		mayEdit: editable,
		mayDelete: isOwnPending || (isPublished && mayDelete(viewer, owned)),
		origin: isVisible ? originView(row) : null,
		replies: [],
		hiddenReplies: row.hidden,
	}
}

/** Whether a comment is there for this viewer, whatever became of its question: it is published, or their own that waits for a moderator. */
export function isStanding(viewer: Viewer, comment: { status: PostStatus; member_id: number }): boolean {
	return comment.status === 'published' || mayChangePending(viewer, { ...comment, authorId: comment.member_id })
}

function choosing(viewer: Viewer, { askerUsername, isMine = false }: Asker): boolean {
	return viewer !== null && mayAccept(viewer, { authorId: isMine || viewer.username === askerUsername ? viewer.id : 0 })
}

function isWorthShowing(comment: CommentView): boolean {
	comment.replies = comment.replies.filter(isWorthShowing)
	return !comment.deleted || comment.replies.length > 0 || comment.hiddenReplies > 0
}

/** How the threads of a question are ordered: by time, or by votes and then time. */
export type CommentSort = 'oldest' | 'best'

export interface CommentView extends VotedView {
	id: number
	/** null when its author deleted it and replies keep its place. */
	author: AuthorView | null
	/** '' when deleted. */
	bodyHtml: string
	/** Markdown as written, only for a viewer who may edit it. */
	body: string | null
	createdAt: string
	editedAt: string | null
	/** Incremented by each edit; an edit names the version that it started from. */
	version: number
	deleted: boolean
	/** Why it is unpublished though nobody deleted it; `deleted` is then true as well for viewers who may not see the text. */
	unpublished: UnpublishedView | null
	solution: boolean
	/** When it was accepted; null when unknown. */
	chosenAt: string | null
	/** How many members say that this solution no longer works; null for too few. */
	outdated: OutdatedView | null
	/** Whether the viewer says so. */
	saysOutdated: boolean
	/** Whether the viewer may accept solutions of the question. */
	mayChoose: boolean
	score: number
	depth: number
	byAsker: boolean
	mayEdit: boolean
	mayDelete: boolean
	origin: OriginView | null
	replies: CommentView[]
	/** Replies that are deeper than this page shows; the link to them is ?thread={id}. */
	hiddenReplies: number
}

/** A comment as it is stored. */
export interface StoredComment {
	body: string
	version: number
}

/** The value of the address parameter; null for the default order. */
export function sortParam(sort: CommentSort): string | null {
	return sort === 'oldest' ? null : sort
}

/** A part of a text: kept, added or removed by an edit. */
export interface DiffPart {
	kind: 'same' | 'added' | 'removed'
	text: string
}

export interface ChangeView {
	/** Title, Description, Tags, Category, or Text for a comment. */
	field: string
	parts: DiffPart[]
}

/** The edits of a question or a comment, newest first. */
export interface HistoryView {
	/** The current title of the question. */
	title: string
	/** Where the text itself is. */
	url: string
	edits: {
		at: string
		/** As everybody sees them. */
		by: Omit<AuthorView, 'image'>
		/** Whether a moderator changed somebody else's text. */
		byModerator: boolean
		changes: ChangeView[]
	}[]
	next: string | null
}
