import type { Told } from '~/features/notifications/notifications.server.ts'

declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** A question was asked. */
		'query:added': (event: { url: string }) => void
		/** A comment was written under the question that this tab shows; by whom, so that nobody is told of their own. */
		'comment:added': (event: { questionId: number; commentId: number; username: string }) => void
	}
	interface ClientEvents {
		/**
		 * Which question this page shows, null for none; replaces the one before. Answers with the ids of the comments that others wrote
		 * after the one called `after`, the newest that the page knows of: between its loading and this moment.
		 */
		'query:watch': (questionId: number | null, after?: number, answer?: (ids: number[]) => void) => void
	}
}

/** The room of the tabs that show a query. */
export function readersOf(questionId: number): string {
	return `query:${questionId}`
}

/* What can happen in the forum, as the rules of moderation, the notifications and the cache are told of it. */

/** The question that something happened to, as it is after it. */
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

interface Happening {
	question: EventQuestion
	/** The member who did it. Others are told of them as {@link shownActor} says. */
	actorId: number
	/** Whose notification box is locked along, as moderation tells them in the same transaction what was decided. */
	besides?: number
	/** Whose notifications changed with it. */
	told?: Told[]
}

interface Written extends Happening {
	/** The usernames that the text mentions; there need not be such members. */
	mentioned: string[]
}

/**
 * The account that others see as who did something: in a question under a pseudonym, that of whoever asked it. As a moderator they
 * act under their own name there as anywhere.
 */
export function shownActor({ question, actorId, byModerator = false }: Doer): number {
	return actorId === question.authorId && !byModerator ? (question.pseudonymId ?? actorId) : actorId
}

/** Who did something, where, and whether to what another member wrote. */
export interface Doer {
	question: EventQuestion
	actorId: number
	byModerator?: boolean
}

/** Everything that can happen in the forum. */
export type ForumEvent =
	/** `approvedBy`: it waited for this moderator, who let it pass; the actor is still its author. */
	| (Written & { kind: 'question-added'; approvedBy?: number })
	| (Written & {
			kind: 'question-changed'
			/** Where it stood before, as lists of both places change. */
			before: { category: string; tags: string[]; description: string }
	  })
	| (Happening & { kind: 'question-deleted' | 'question-restored' })
	| (Written & {
			kind: 'comment-added'
			commentId: number
			/** Of its author, as others see it. */
			username: string
			parentId: number | null
			approvedBy?: number
	  })
	/** `before`: what it said until then. */
	| (Written & {
			kind: 'comment-changed'
			commentId: number
			before: string
			/** Whether a moderator changed what another member wrote. */
			byModerator: boolean
	  })
	| (Happening & { kind: 'comment-deleted' | 'comment-restored'; commentId: number })
	| (Happening & { kind: 'solution-chosen' | 'solution-withdrawn'; commentId: number; authorId: number })
	/** `vote`: 0 where one was taken back. */
	| (Happening & { kind: 'vote-changed'; commentId: number | null; vote: -1 | 0 | 1 })
	/** Taken out of the forum, to wait for a moderator, by one, or into another question; and back. */
	| (Happening & { kind: 'question-unpublished' | 'question-republished' })
	| (Happening & { kind: 'comment-unpublished' | 'comment-republished'; commentId: number })
	| (Happening & { kind: 'question-locked' | 'question-unlocked' | 'question-pinned' | 'question-unpinned' })
	/** A text that waits for a moderator was added or changed; nobody but its author and moderators sees it. */
	| (Happening & { kind: 'question-pending' })
	| (Happening & { kind: 'comment-pending'; commentId: number })
