import type { NoticeKind } from '~/features/notifications/channels.ts'

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
