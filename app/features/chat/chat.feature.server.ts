import { isRecord } from '~/lib/checks.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { defineFeature } from '~/platform/feature.ts'
import type { Tab } from '~/platform/realtime/io.server.ts'
import { MemoryRateLimiter } from '~/platform/realtime/memory-rate-limiter.ts'
import { announceTyping } from './messages/announcing.server.ts'
import { markSeen } from './messages/reading.server.ts'
import { handleSend } from './messages/sending.server.ts'

/** Messages: sending, reading, changing and reporting them, and the chat in an open tab. */
export const chat = defineFeature({ name: 'chat', onConnect: receiveChat })

/** A tab reports typing at most every 3 s; faster reports are dropped. */
const MIN_TYPING_INTERVAL_MS = 2_500

/** Handles a tab's chat events. Anybody can send anything over a socket, so malformed events are ignored. */
function receiveChat(socket: Tab): void {
	const { userId: id, username } = socket.data
	const viewer: SignedIn = { id, username, name: username, image: null, role: 'member' }
	const allowance = new MemoryRateLimiter(1, MIN_TYPING_INTERVAL_MS)
	// Runs sequentially, so that messages of a tab are stored in the order in which it sent them.
	let last: Promise<unknown> = Promise.resolve()
	const enqueue = (work: () => Promise<unknown>) => {
		last = last.then(work).catch((error) => log.warn({ err: error }, 'a chat event could not be handled'))
	}
	socket.on('chat:send', (message: unknown, answer: unknown) => {
		if (typeof answer !== 'function') return
		enqueue(async () => {
			const { reply, ended } = await handleSend(viewer, message, socket.data.sessionId)
			answer(reply)
			if (ended) socket.disconnect(true)
		})
	})
	socket.on('chat:seen', (event: unknown) => {
		if (isRecord(event)) enqueue(() => markSeen(viewer, { with: event.with, upTo: event.upTo, read: event.read }))
	})
	socket.on('chat:typing', (to: unknown) => {
		if (typeof to === 'string' && allowance.take()) enqueue(() => announceTyping(viewer, to))
	})
}
