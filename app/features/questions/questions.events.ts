import type { NotifiedMember } from '~/features/notifications/notifications.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { QuestionPageRow } from './questions.queries.server.ts'

declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** A question was asked. */
		'query:added': (event: { url: string }) => void
		/** A comment was added to the question that this tab shows; with its author, whose own tabs ignore it. */
		'comment:added': (event: { questionId: number; commentId: number; username: string }) => void
	}
	interface ClientEvents {
		/**
		 * The question that this page shows, null for none; replaces the previous one. The answer lists ids of others' comments after
		 * `after`, the newest that the page knows: those added between its loading and now.
		 */
		'query:watch': (questionId: number | null, after?: number, answer?: (ids: number[]) => void) => void
	}
}

/** The room of tabs that show a question. */
export function questionRoom(questionId: number): string {
	return `query:${questionId}`
}

/** The cache tag of a question's page. */
export function questionTag(id: number): string {
	return `query:${id}`
}

/* Events of the forum, for posting rules, notifications and the cache. */

/** The question of an event, in its state afterwards. */
export interface EventQuestion {
	id: number
	/** The member who asked. */
	authorId: number
	/** The account that they asked under, where that is a pseudonym; missing in jobs of an earlier version. */
	pseudonymId?: number | null
	title: string
	url: string
	/** Slug. */
	category: string
	tags: string[]
}

/** A question for events. */
export function eventQuestion(
	row: Pick<QuestionPageRow, 'id' | 'author_id' | 'pseudonym_id' | 'title' | 'tags' | 'username' | 'category_slug'>,
): EventQuestion {
	const { id, author_id: authorId, pseudonym_id: pseudonymId, title, tags, category_slug: category } = row
	return { id, authorId, pseudonymId, title, tags, category, url: questionUrl(row) }
}

/** The account by which a member writes under a question: the pseudonym that they asked it under, or their own. */
export function writingAccount(
	question: Pick<QuestionPageRow, 'author_id' | 'pseudonym_id' | 'username'>,
	member: SignedIn,
): { id: number; username: string } {
	const { author_id, pseudonym_id, username } = question
	return pseudonym_id !== null && author_id === member.id ? { id: pseudonym_id, username } : member
}

interface Happening {
	question: EventQuestion
	/** The acting member. Others see {@link shownActor}. */
	actorId: number
	/** The member whose notification box is locked along, as moderation notifies them in the same transaction. */
	alsoLocked?: number
	/** Members whose notifications changed. */
	notified?: NotifiedMember[]
}

interface Written extends Happening {
	/** Mentioned usernames; such members may not exist. */
	mentioned: string[]
}

/**
 * The account that others see as the actor: in a question under a pseudonym, its author's pseudonym. Moderators acting as such
 * appear under their own name there, too.
 */
export function shownActor({ question, actorId, byModerator = false }: EventActor): number {
	return actorId === question.authorId && !byModerator ? (question.pseudonymId ?? actorId) : actorId
}

/** Who did something, where, and whether to another member's text. */
export interface EventActor {
	question: EventQuestion
	actorId: number
	byModerator?: boolean
}

/** Every event of the forum. */
export type ForumEvent =
	/** `approvedBy`: the moderator who approved a pending question; the actor is still its author. */
	| (Written & { kind: 'question-added'; approvedBy?: number })
	| (Written & {
			kind: 'question-changed'
			/** Its category and tags before, as lists of both change. */
			before: { category: string; tags: string[]; description: string }
	  })
	| (Happening & { kind: 'question-deleted' })
	/** `isMerged`: whether it is merged again, and so not published. */
	| (Happening & { kind: 'question-restored'; deletedBy: number | null; isMerged: boolean })
	| (Written & {
			kind: 'comment-added'
			commentId: number
			/** The author as others see them. */
			username: string
			parentId: number | null
			approvedBy?: number
	  })
	/** `before`: the text before the edit. */
	| (Written & {
			kind: 'comment-changed'
			commentId: number
			before: string
			/** Whether a moderator changed another member's text. */
			byModerator: boolean
	  })
	| (Happening & { kind: 'comment-deleted'; commentId: number })
	| (Happening & { kind: 'comment-restored'; commentId: number; deletedBy: number | null })
	| (Happening & { kind: 'solution-chosen' | 'solution-withdrawn'; commentId: number })
	/** `vote`: 0 for a vote that was withdrawn. */
	| (Happening & { kind: 'vote-changed'; commentId: number | null; vote: -1 | 0 | 1 })
	/** Hidden, pending, or merged into another question; and restored. */
	| (Happening & { kind: 'question-unpublished' | 'question-republished' })
	| (Happening & { kind: 'comment-unpublished' | 'comment-republished'; commentId: number })
	| (Happening & { kind: 'question-locked' | 'question-unlocked' | 'question-pinned' | 'question-unpinned' })
	/** A pending text was added or changed; only its author and moderators see it. */
	| (Happening & { kind: 'question-pending' })
	| (Happening & { kind: 'comment-pending'; commentId: number })

/** A comment that is to be added, before it has an id. */
export type NewComment = Omit<Extract<ForumEvent, { kind: 'comment-added' }>, 'commentId'>
