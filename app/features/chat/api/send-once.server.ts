import { createHash, randomUUID } from 'node:crypto'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { editInput } from '../chat.schema.ts'
import { sendMessage } from '../messages/sending.server.ts'
import type { ChatMessage } from '../protocol.ts'

interface Sending {
	/** Username. */
	to: string
	body?: unknown
	clientId?: unknown
	/** What `Idempotency-Key` says. */
	key: string | null
}

/**
 * Sends a message for a program, which names it by a key of any kind or by an id as our own pages do.
 * @throws Invalid also where the name is that of a message with another text; all that {@link sendMessage} throws
 */
export async function sendOnce(viewer: SignedIn, { to, body, clientId, key }: Sending): Promise<ChatMessage> {
	const wanted = parseInput(editInput, { body })
	const message = await sendMessage(viewer, {
		to,
		body,
		clientId: key === null ? (clientId ?? randomUUID()) : idOf(key),
	})
	const untouched = message.editedAt === null && !message.deleted
	if (untouched && message.body !== wanted.body)
		throw new Invalid('Another message was sent with this key before. Send this one with a new key.')
	return message
}

/** The id of the message that a key names: the key itself where it is one. */
function idOf(key: string): string {
	if (!/^[\x21-\x7e]{1,100}$/.test(key)) throw new Invalid('An Idempotency-Key has 1 to 100 visible ASCII characters.')
	if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(key)) return key
	const hex = createHash('sha256').update(`Idempotency-Key: ${key}`).digest('hex')
	// A UUID of version 8, made of whatever one likes (RFC 9562, 5.8).
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
