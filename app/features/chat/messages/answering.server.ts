import { isRecord } from '~/lib/checks.ts'
import { DomainError, isSiteFault, TooMany } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { SendAnswer } from '../protocol.ts'
import { sendMessage } from './sending.server.ts'
import { SessionEnded } from './writers.server.ts'

/** Seconds after which a refused message may be tried again without anybody pressing anything. */
const soon = 60

/**
 * Sends what a script says is a message, by a socket or by HTTP, and answers in words whatever it is. The answer follows the
 * commit.
 * @param sessionId of the socket; null for a request just checked
 * @returns the answer, and whether the session had ended
 */
export async function answerSending(
	viewer: SignedIn,
	message: unknown,
	sessionId: number | null,
): Promise<{ reply: SendAnswer; ended: boolean }> {
	try {
		const words = isRecord(message) ? message : {}
		return {
			reply: { ok: true, message: await sendMessage(viewer, { ...words, to: words.to }, sessionId) },
			ended: false,
		}
	} catch (error) {
		const ended = error instanceof SessionEnded
		const isRefused = error instanceof DomainError && !isSiteFault(error)
		if (!isRefused) log.warn({ err: error }, 'a message could not be stored')
		const text = isRefused ? error.message : 'The message could not be saved. Trying again.'
		const retry = ended || !isRefused || (error instanceof TooMany && error.retryAfter <= soon)
		const limited = error instanceof TooMany ? { retryAfter: error.retryAfter } : {}
		return { reply: { ok: false, message: text, retry, ...limited }, ended }
	}
}
