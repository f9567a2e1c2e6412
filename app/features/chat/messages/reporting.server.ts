import { copyForReport, readExtract } from '~/features/chat-pictures/chat-pictures.queries.server.ts'
import { requireConversation } from '~/features/conversations/conversations.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { addReport, lockReporter, readReportWords } from '~/features/moderation/reports.server.ts'
import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { chatLimits } from '../chat.view.ts'

/**
 * Reports a received message to the moderators. They see a copy of it and of at most five messages before it, with pictures, and
 * nothing else of the conversation. The sender is not told.
 * @throws NotFound also for own and deleted messages, NotAllowed, Invalid, Conflict when it was reported before, TooManyRequests
 */
export async function reportMessage(
	viewer: Viewer,
	{ with: username, id }: { with: unknown; id: unknown },
	input: { words?: unknown },
): Promise<void> {
	const reporter = requireSignedIn(viewer)
	const details = readReportWords(input)
	const { id: conversationId, peer_id: targetId } = await requireConversation(reporter, username)
	if (!isId(id)) throw new NotFound(nothingToReportMessage)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockReporter(trx, reporter)
			const lines = await readExtract(trx, { conversationId, userId: reporter.id, id, context: chatLimits.context })
			if (lines.length === 0) throw new NotFound(nothingToReportMessage)
			const extract = lines.map(({ id: _, ...line }) => line)
			const about = { kind: MEMBER_SUBJECT, targetId, reporterId: reporter.id }
			const reportId = await addReport(trx, { ...about, reason: 'other', details, message: { id, extract } })
			await copyForReport(
				trx,
				reportId,
				lines.map((line) => line.id),
			)
		})
}

const nothingToReportMessage = 'There is nothing to report here.'
