import { refuseSuspended } from '~/features/accounts/suspension.server.ts'
import { Conflict, NotFound, TooMany } from '~/lib/errors.ts'
import { isId } from '~/lib/ids.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/parse.server.ts'
import { limits } from './chat.limits.ts'
import { reportInput } from './chat.schema.ts'
import { lockMember } from './conversations.queries.server.ts'
import { conversationWith, member } from './members.server.ts'
import { keepForReport } from './pictures/pictures.queries.server.ts'
import { addReport, readExtract, secondsUntilReport } from './reporting.queries.server.ts'
import { currentWriter } from './writers.server.ts'

/**
 * Reports a message that the viewer received to the moderators. They see a copy of it and of at most five before it, pictures
 * included, and nothing else of the conversation; its sender is told nothing.
 * @throws NotFound also for own and deleted messages, NotAllowed, Invalid, Conflict when it was reported before, TooMany
 */
export async function reportMessage(
	viewer: Viewer,
	{ with: username, id }: { with: unknown; id: unknown },
	input: { words?: unknown },
): Promise<void> {
	const reporter = member(viewer)
	const { words } = parseInput(reportInput, input)
	const { id: conversationId, peer_id: memberId } = await conversationWith(reporter, username)
	if (!isId(id)) throw new NotFound(nothing)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, reporter.id)
			refuseSuspended(await currentWriter(trx, reporter.id, null))
			const lines = await readExtract(trx, { conversationId, userId: reporter.id, id, context: limits.context })
			if (lines.length === 0) throw new NotFound(nothing)
			const seconds = await secondsUntilReport(trx, reporter.id, limits.reportsPerHour)
			if (seconds !== null) throw new TooMany('You have reported a lot in a short time. Try again later.', seconds)
			const extract = lines.map(({ id: _, ...line }) => line)
			const reportId = await addReport(trx, { reporterId: reporter.id, memberId, messageId: id, words, extract })
			if (reportId === null) throw new Conflict('You have already reported this. A moderator will look at it.')
			await keepForReport(
				trx,
				reportId,
				lines.map((line) => line.id),
			)
		})
}

const nothing = 'There is nothing to report here. It may have been deleted.'
