import { db, type Executor } from '~/db/db.server.ts'
import {
	forgetQuery,
	notify,
	notifyOfDecision,
	renameQuery,
	tellUnread,
} from '~/features/notifications/notifications.server.ts'
import { addJob } from '~/jobs/jobs.server.ts'
import type { ForumEvent } from '../effects.server.ts'
import { mentionsIn } from '../mentions.ts'
import { findCommentAuthor, followersOf, holdQuery, listIdsOf } from './notices.queries.server.ts'
import { whoIsTold } from './told.ts'

/** So many followers are told within the transaction that adds a query; more are left to a job. */
const followersAtOnce = 50
const followersInAStep = 500

/** A text that names more people than this is not meant for them. */
const mostMentions = 10

type QueryAdded = Extract<ForumEvent, { kind: 'query-added' }>

/** What is still to be told about a new query, as a job keeps it. */
export interface FollowersLeft {
	event: QueryAdded
	/** The last follower who was told. */
	after: number
}

/** Stores what a change of the forum means to others, in its transaction. @returns whose notices changed */
export async function noteEvent(trx: Executor, event: ForumEvent): Promise<number[]> {
	const told = await noteHappening(trx, event)
	const { decision, query } = event
	if (!decision) return told
	const { commentId } = decision
	const url = commentId === null ? query.url : `${query.url}?thread=${commentId}#comment-${commentId}`
	return [...new Set([...told, ...(await notifyOfDecision(trx, { ...decision, query, url }))])]
}

async function noteHappening(trx: Executor, event: ForumEvent): Promise<number[]> {
	const { actorId, query } = event
	const besides = event.decision?.memberId
	switch (event.kind) {
		case 'comment-added': {
			const { commentId, parentId, body } = event
			const [parentAuthorId, mentioned] = [
				parentId === null ? null : await findCommentAuthor(trx, parentId),
				await mentionedIn(trx, body),
			]
			const people = whoIsTold({ actorId, queryAuthorId: query.authorId, parentAuthorId, mentioned })
			return notify(trx, { people, actorId, query, commentId, url: `${query.url}#comment-${commentId}`, besides })
		}
		case 'solution-chosen': {
			const { commentId, authorId } = event
			const people = whoIsTold({ actorId, solverId: authorId })
			return notify(trx, { people, actorId, query, commentId, url: `${query.url}#comment-${commentId}` })
		}
		case 'query-added':
			return noteQuery(trx, event)
		case 'query-changed':
			await renameQuery(trx, query.id, query.title)
			return []
		case 'query-deleted':
		case 'query-withheld':
			return forgetQuery(trx, query.id, besides)
		default:
			return []
	}
}

/** Goes on telling followers of a new query, a few hundred in a transaction; run again, it tells nobody twice. */
export async function tellFollowers({ event, after }: FollowersLeft): Promise<void> {
	const { actorId, query } = event
	let last: number | undefined = after
	while (last !== undefined) {
		const from: number = last
		const { told, next } = await db()
			.transaction()
			.execute(async (trx) => {
				// Held before any box, in the order of all writers.
				if (!(await holdQuery(trx, query.id))) return { told: [], next: undefined }
				const mentioned = await mentionedIn(trx, event.description)
				const followers = await followersOf(trx, { ...query, after: from, limit: followersInAStep })
				const people = whoIsTold({ actorId, followers: followers.filter((id) => !mentioned.includes(id)) })
				const told = await notify(trx, { people, actorId, query, commentId: null, url: query.url, once: true })
				return { told, next: followers.length < followersInAStep ? undefined : followers.at(-1) }
			})
		await tellUnread(told)
		last = next
	}
}

async function noteQuery(trx: Executor, event: QueryAdded): Promise<number[]> {
	const { actorId, query } = event
	const mentioned = await mentionedIn(trx, event.description)
	const found = await followersOf(trx, { ...query, after: 0, limit: followersAtOnce + 1 })
	const followers = found.length > followersAtOnce ? [] : found
	if (found.length > followersAtOnce) await addJob('tell-followers', { event, after: 0 }, trx)
	const people = whoIsTold({ actorId, mentioned, followers })
	const besides = event.decision?.memberId
	return notify(trx, { people, actorId, query, commentId: null, url: query.url, besides })
}

async function mentionedIn(trx: Executor, markdown: string): Promise<number[]> {
	const names = mentionsIn(markdown)
	return names.length === 0 || names.length > mostMentions ? [] : listIdsOf(trx, names)
}
