import { findComment } from '~/features/discussion/comments.queries.server.ts'
import { discussionShapes } from '~/features/discussion/discussion.api.server.ts'
import { getComment } from '~/features/discussion/discussion.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { caseUrl } from '~/features/moderation/moderation.view.ts'
import { forumShapes } from '~/features/questions/questions.api.server.ts'
import { isClosed } from '~/features/questions/questions.policy.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { NoSuch } from '~/lib/errors.ts'
import { findJoinedMember, findReportedCase } from '../webhooks.queries.server.ts'
import { TEST_EVENT, type WebhookEvent } from '../webhooks.view.ts'

/** What is sent about an event; null where visitors, or all members of a private site, cannot read what it is about now. */
type Data = Record<string, unknown> | null

/** Each reads its subject as a visitor would by the API, so that a webhook is told nothing else. */
const readers: Record<WebhookEvent, (id: number) => Promise<Data>> = {
	'query.created': readQuery,
	'query.updated': readQuery,
	'query.solved': readQuery,
	'comment.created': readComment,
	'member.joined': async (id) => {
		const member = await findJoinedMember(id)
		return member ? { member: { ...member, url: `/find-dev/${member.username}` } } : null
	},
	// Only where it is: what was reported is for moderators.
	'report.created': async (id) => {
		const found = await findReportedCase(id)
		if (!found) return null
		// The address of a member's case has their name.
		const url = found.kind === MEMBER_SUBJECT ? '/moderation' : caseUrl(found.kind, found.target_id, '')
		return { report: { kind: found.kind, url } }
	},
}

/** The data of an event, as it is now. @returns null where it may not be sent, or not any more */
export async function readEventData(event: WebhookEvent | typeof TEST_EVENT, id: number | null): Promise<Data> {
	if (event === TEST_EVENT || id === null) return { message: 'This is a test.' }
	try {
		return await readers[event](id)
	} catch (error) {
		if (error instanceof NoSuch) return null
		throw error
	}
}

async function readQuery(id: number): Promise<Data> {
	const question = await getQuestion(null, id)
	return isClosed(question) ? null : { query: forumShapes.Query.parse(question) }
}

async function readComment(id: number): Promise<Data> {
	const place = await findComment(id)
	if (!place) return null
	const [question, found] = await Promise.all([getQuestion(null, place.question_id), getComment(null, id)])
	if (isClosed(question) || found.deleted || found.unpublished) return null
	// Replies have events of their own.
	const { replies, hiddenReplies, ...comment } = discussionShapes.Comment.parse(found)
	const { id: queryId, url, title } = question
	return { comment, query: { id: queryId, url, title } }
}
