import { mayChangeWithheld, maySeeWithheld } from '~/features/forum/moderation/moderation.policy.ts'
import { queryUrl } from '~/features/search/search.paths.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { CommentRow } from './discussion/comments.queries.server.ts'
import type { DeletedRow } from './discussion/discussion.queries.server.ts'
import { mayChoose } from './discussion/votes.policy.ts'
import type { CommentView, OriginView, QueryCardView, QueryPageView } from './question.view.ts'
import { mayDelete, mayEdit } from './questions.policy.ts'
import type { QueryPageRow, QueryRow } from './questions.queries.server.ts'

/** A row of a list as this viewer may see it. */
export function presentCard(viewer: Viewer, row: QueryRow): QueryCardView {
	const owned = { authorId: row.author_id }
	return {
		id: row.id,
		url: queryUrl(row),
		title: row.title,
		excerpt: row.excerpt,
		category: { slug: row.category_slug, title: row.category_title },
		author: { username: row.username, name: row.name, image: row.image },
		tags: row.tags,
		createdAt: row.created_at,
		score: row.score,
		commentCount: row.comment_count,
		solved: row.solved,
		mayEdit: mayEdit(viewer, owned),
		mayDelete: mayDelete(viewer, owned),
	}
}

/** A query with its texts as this viewer may see it. */
export function presentQuery(viewer: Viewer, row: QueryPageRow, vote: QueryPageView['vote'] = 0): QueryPageView {
	return {
		...presentCard(viewer, row),
		vote,
		own: viewer?.id === row.author_id,
		description: row.description,
		descriptionHtml: row.description_html,
		version: row.version,
		editedAt: row.edited_at,
		origin: origin(row),
		locked: row.locked,
		withheld: null,
		deletedBy: null,
	}
}

/** A query that was deleted after others had answered it: nothing of its own, and nothing to be done with it. */
export function presentWithdrawn(row: DeletedRow): QueryPageView {
	const deletedBy = row.deleted_by === row.author_id ? 'author' : 'moderator'
	return {
		...presentQuery(null, row),
		title: deletedBy === 'author' ? '[deleted by its author]' : '[deleted by a moderator]',
		excerpt: '',
		description: '',
		descriptionHtml: '',
		tags: [],
		editedAt: null,
		origin: null,
		deletedBy,
	}
}

/**
 * The comments of a page as a tree. Deleted ones stay only where a reply needs their place.
 * @param rows in reading order; a row whose parent is not among them is a root
 */
export function presentThread(viewer: Viewer, rows: CommentRow[], askerUsername: string): CommentView[] {
	const views = new Map<number, CommentView>()
	const roots: CommentView[] = []
	for (const row of rows) {
		const view = presentComment(viewer, row, askerUsername)
		views.set(row.id, view)
		const parent = row.parent_id === null ? undefined : views.get(row.parent_id)
		if (parent) parent.replies.push(view)
		else roots.push(view)
	}
	return roots.filter(isWorthShowing)
}

/** One comment without its replies. */
export function presentComment(viewer: Viewer, row: CommentRow, askerUsername: string): CommentView {
	const owned = { authorId: row.author_id }
	const isOwnWaiting = row.withheld !== null && mayChangeWithheld(viewer, { ...owned, withheld: row.withheld })
	const editable = isOwnWaiting || (!row.deleted && mayEdit(viewer, owned))
	const isVisible = !row.deleted || (row.withheld !== null && maySeeWithheld(viewer, owned))
	return {
		id: row.id,
		author: isVisible ? { username: row.username, name: row.name, image: row.image } : null,
		bodyHtml: isVisible ? row.body_html : '',
		body: editable ? row.body : null,
		createdAt: row.created_at,
		editedAt: row.edited_at,
		version: row.version,
		deleted: !isVisible,
		withheld: row.withheld && { state: row.withheld, reason: isVisible ? row.withheld_reason : '' },
		solution: row.is_solution,
		chosenAt: row.chosen_at,
		mayChoose: !row.deleted && choosing(viewer, askerUsername),
		vote: 0,
		own: viewer?.id === row.author_id,
		score: row.score,
		depth: row.depth,
		byAsker: isVisible && row.username === askerUsername,
		mayEdit: editable,
		mayDelete: isOwnWaiting || (!row.deleted && mayDelete(viewer, owned)),
		origin: isVisible ? origin(row) : null,
		replies: [],
		hiddenReplies: row.hidden,
	}
}

/** A page knows its asker by username. */
function choosing(viewer: Viewer, askerUsername: string): boolean {
	return viewer !== null && mayChoose(viewer, { authorId: viewer.username === askerUsername ? viewer.id : 0 })
}

function isWorthShowing(comment: CommentView): boolean {
	comment.replies = comment.replies.filter(isWorthShowing)
	return !comment.deleted || comment.replies.length > 0 || comment.hiddenReplies > 0
}

function origin({ source_url, licence }: { source_url: string | null; licence: string | null }): OriginView | null {
	return source_url || licence ? { url: source_url, licence } : null
}
