import { deliver, queuePushes } from '~/features/notifications/push/delivery.server.ts'
import type { PushJob } from '~/features/notifications/push/push.queries.server.ts'
import { log } from '~/lib/log.server.ts'
import { counted } from '~/lib/text.ts'
import { db } from '~/platform/db/db.server.ts'
import { countTabs } from '~/platform/realtime/presence.server.ts'
import type { MessageRow } from '../messages/messages.queries.server.ts'
import { findMessagePush } from './away.queries.server.ts'
import { excerptOf } from './excerpt.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Tells a browser of a conversation, by its id. */
		'push-message': PushJob
	}
}

/**
 * Has the recipient of a message told in their browsers if they have no tab open; called after the commit. A push is an
 * extra: where none can be made the message is stored all the same, and mailed later.
 */
export async function notifyAway({ recipient_id: userId, conversation_id: about }: MessageRow): Promise<void> {
	// The common case asks nobody: their tab is at this very process.
	if (userId === null || countTabs(userId) > 0) return
	try {
		await queuePushes(db(), 'push-message', [{ userId, about }])
	} catch (error) {
		log.warn({ err: error }, 'a push of a message could not be left to a job')
	}
}

/**
 * Tells a browser what waits in a conversation, unless it was read, muted or blocked since, or its member came back. What a
 * stranger writes is not shown before their request is answered.
 * @throws Error as {@link deliver} does
 */
export async function pushMessage(job: PushJob): Promise<void> {
	const row = await findMessagePush(job)
	if (!row) return
	const { name, username, unread, pending, body } = row
	const said = pending ? 'would like to write to you' : excerptOf(body ?? '')
	const title = !pending && unread > 1 ? `${name}, ${counted(unread, 'new message')}` : name
	await deliver(row, { title, body: said, url: `/messages/${username}`, tag: `c${job.about}`, open: row.open }, 'high')
}
