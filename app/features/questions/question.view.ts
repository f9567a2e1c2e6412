import { type AuthorView, presentAuthor } from '~/features/members/members.view.ts'
import { type CommentMatchView, permalinkOf, questionUrl } from '~/features/search/search.view.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { mayDelete, mayEdit } from './questions.policy.ts'
import type { DeletedRow, QuestionMarks, QuestionPageRow, QuestionRow } from './questions.queries.server.ts'

/* Questions as pages and the API get them. Times are ISO 8601 strings in UTC. */

/** The source of an imported text; shown below it. */
export interface OriginView {
	/** null when the source gave no address. */
	url: string | null
	licence: string | null
}

export interface QuestionCardView {
	id: number
	/** Canonical address: /forum/{category}/{username}/{id} */
	url: string
	title: string
	/** Title with search matches in <mark>, everything else escaped; only in search results. */
	titleHtml?: string
	excerpt: string
	excerptHtml?: string
	/** The comment that a search found it by, when nothing else of it matches. */
	commentMatch?: CommentMatchView
	category: { slug: string; title: string }
	author: AuthorView
	tags: string[]
	createdAt: string
	score: number
	commentCount: number
	solved: boolean
	/** What the viewer may do with it. */
	mayEdit: boolean
	mayDelete: boolean
}

/** What a text shows to one viewer, added to what all readers share. */
export interface VotedView {
	/** 1 up, -1 down, 0 none. */
	vote: 1 | 0 | -1
	/** Whether it is the viewer's own text, which they cannot vote on. */
	own: boolean
	/** Whether the viewer bookmarked it. */
	bookmarked: boolean
}

export interface QuestionPageView extends QuestionCardView, VotedView {
	/** Whether the viewer follows it, and whether they have the same problem. */
	following: boolean
	affected: boolean
	/** Whether another member asked the viewer to answer it, and they have neither declined nor commented there. */
	invited: boolean
	/** How many members besides the author have the same problem. */
	affectedCount: number
	/** Markdown source, for the edit form and structured data. */
	description: string
	descriptionHtml: string
	/** Incremented by each edit; an edit names the version that it started from. */
	version: number
	editedAt: string | null
	origin: OriginView | null
	/** Whether comments are closed. */
	locked: boolean
	/** Why it is not published, for its author and moderators; null for what everybody sees. */
	unpublished: UnpublishedView | null
	/** Who deleted it, when only other members' comments are left of it; null otherwise. */
	deletedBy: 'author' | 'moderator' | null
}

/** Why a text that is not deleted is not published. */
export interface UnpublishedView {
	/** Hidden by a moderator, pending, or merged into another question. */
	status: 'hidden' | 'pending' | 'merged'
	/** Whether it was never published, as a moderator rejected it while it was pending. */
	rejected: boolean
	/** In the moderator's words; '' where there are none, and for viewers who may not see the text. */
	reason: string
}

/** A comment in the lists of a member's profile. */
export interface AnswerView {
	id: number
	/** Redirects to the comment, wherever it is shown. */
	url: string
	/** Of the question. */
	title: string
	/** The beginning of the comment, as plain text. */
	excerpt: string
	solution: boolean
	score: number
	createdAt: string
}

/** A row of a list, for this viewer. */
export function presentCard(viewer: Viewer, row: QuestionRow): QuestionCardView {
	const owned = { authorId: row.author_id }
	return {
		id: row.id,
		url: questionUrl(row),
		title: row.title,
		excerpt: row.excerpt,
		category: { slug: row.category_slug, title: row.category_title },
		author: presentAuthor(row),
		tags: row.tags,
		createdAt: row.created_at,
		score: row.score,
		commentCount: row.comment_count,
		solved: row.solved,
		mayEdit: mayEdit(viewer, owned),
		mayDelete: mayDelete(viewer, owned),
	}
}

/** A question with its texts, for this viewer. @param marks the viewer's own state, where it is known */
export function presentQuestion(
	viewer: Viewer,
	row: QuestionPageRow,
	{ vote, bookmarked, following, affected, invited }: QuestionMarks = {
		vote: 0,
		bookmarked: false,
		following: false,
		affected: false,
		invited: false,
	},
): QuestionPageView {
	return {
		...presentCard(viewer, row),
		vote,
		own: viewer?.id === row.author_id,
		bookmarked,
		following,
		affected,
		invited,
		affectedCount: row.affected_count,
		description: row.description,
		descriptionHtml: row.description_html,
		version: row.version,
		editedAt: row.edited_at,
		origin: originView(row),
		locked: row.locked,
		unpublished: null,
		deletedBy: null,
	}
}

/** A question that was deleted after others had commented: without its texts, also in its address, and without actions. */
export function presentDeleted(row: DeletedRow): QuestionPageView {
	const deletedBy = row.status_by === row.author_id ? 'author' : 'moderator'
	return {
		...presentQuestion(null, row),
		url: permalinkOf(questionUrl(row)),
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

/** The status of a post that is neither published nor deleted, for readers. */
export function presentStatus({
	status,
	status_reason: reason,
	never_published: isNew,
}: {
	status: PostStatus
	status_reason: string
	never_published: boolean
}): UnpublishedView | null {
	if (status === 'published' || status === 'deleted') return null
	return { status, rejected: status === 'hidden' && isNew, reason }
}

/** The source of an imported text; null for a text that was written here. */
export function originView({
	source_url,
	licence,
}: {
	source_url: string | null
	licence: string | null
}): OriginView | null {
	return source_url || licence ? { url: source_url, licence } : null
}
