import type { NoticeKind, NotificationKind } from '~/features/notifications/kinds.server.ts'

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		comment: never
		reply: never
		mention: never
		solution: never
		followed: never
	}
}

/** What members are told of questions and comments. */
export const questionKinds = {
	comment: { label: 'Comments on my queries', order: 10, words: 'commented on' },
	reply: { label: 'Replies to my comments', order: 20, words: 'replied to you in' },
	mention: { label: 'Mentions of my name', order: 30, words: 'mentioned you in' },
	solution: {
		label: 'My comment marked as a solution',
		order: 40,
		words: 'marked your comment as a solution to',
	},
	followed: { label: 'New queries in tags and categories I follow', order: 60, words: 'asked' },
} as const satisfies Partial<Record<NoticeKind, NotificationKind>>

/** Who has to do with an event, by id; nobody is passed as null or left out. */
export interface Concerned {
	actorId: number
	queryAuthorId?: number | null
	parentAuthorId?: number | null
	solverId?: number | null
	mentioned?: readonly number[]
	followers?: readonly number[]
}

/**
 * Who is told of an event, and as what: each member once, by what concerns them most, and never the one who did it.
 * Being named goes before being answered, being answered before owning the query, all before following a tag.
 */
export function whoIsTold(concerned: Concerned): Map<number, NoticeKind> {
	const { actorId, queryAuthorId, parentAuthorId, solverId, mentioned = [], followers = [] } = concerned
	const told = new Map<number, NoticeKind>()
	const tell = (kind: NoticeKind, ...ids: (number | null | undefined)[]) => {
		for (const id of ids) if (typeof id === 'number' && id !== actorId && !told.has(id)) told.set(id, kind)
	}
	tell('solution', solverId)
	tell('mention', ...mentioned)
	tell('reply', parentAuthorId)
	tell('comment', queryAuthorId)
	tell('followed', ...followers)
	return told
}
