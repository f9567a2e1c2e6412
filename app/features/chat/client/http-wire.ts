import type { ConversationSummary, SendAnswer } from '../protocol.ts'
import type { Transport } from './transport.ts'

/* What the socket carries, by HTTP: for networks that let no socket through. */

/** How long an answer is waited for, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000

/** What is unread, and for whom the browser is signed in now. */
export interface Latest {
	conversations: ConversationSummary[]
	/** Conversations with something unread. */
	unread: number
	/** Unread notices. */
	notices: number
	/** Username. */
	me: string
}

/** Asks what is new. @returns null when nobody is signed in any more @throws when no answer can be had */
export async function askLatest(): Promise<Latest | null> {
	const headers = { Accept: 'application/json' }
	const answer = await fetch('/messages/latest', { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
	if (answer.status === 401) return null
	if (!answer.ok) throw new Error(`The server answered ${answer.status}`)
	return answer.json()
}

/** Sends a message. @returns null when no answer came, or none of the chat's */
export async function sendByHttp(
	me: string,
	{ to, ...message }: Parameters<Transport['send']>[0],
): Promise<SendAnswer | null> {
	const answer = await say(me, to, message).catch(() => null)
	return answer?.ok ? answer.json().catch(() => null) : null
}

/** Says how far this member got. One that is lost is not missed: the next says more. */
export async function seenByHttp(me: string, { with: peer, ...mark }: Parameters<Transport['seen']>[0]): Promise<void> {
	await say(me, peer, mark).catch(() => null)
}

function say(me: string, peer: string, words: object): Promise<Response> {
	return fetch(`/messages/${encodeURIComponent(peer)}/wire`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: JSON.stringify({ me, ...words }),
		signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
	})
}
