import type { Zone } from '~/lib/calendar.ts'
import type { ChatMessage } from '../../chat.view.ts'
import type { ConversationView } from '../../client/live-conversation.ts'
import type { OutgoingMessage } from '../../client/outbox.ts'
import { dayOf } from './times.ts'

/** How far an own message has come. */
export type ReceiptState = 'waiting' | 'sent' | 'delivered' | 'read'

/** A message to render. */
interface ShownMessage {
	kind: 'message'
	key: string
	message: ChatMessage
	own: boolean
	/** Whether it ends a group, and so shows the time and the receipt. */
	last: boolean
	receipt: ReceiptState
}

/** An outgoing message. */
interface ShownOutgoing {
	kind: 'outgoing'
	key: string
	message: OutgoingMessage
	last: boolean
}

export type ThreadRow =
	| { kind: 'day'; key: string; at: string | number }
	| { kind: 'new'; key: string }
	| ShownMessage
	| ShownOutgoing

/** Milliseconds within which messages of one sender form a group (product specification: 5 minutes). */
const GROUP_WITHIN_MS = 5 * 60_000

interface Entry {
	at: number
	sender: string
	row: ShownMessage | ShownOutgoing
}

/**
 * A conversation as rows from top to bottom: its messages in order with outgoing ones at the end, a separator before each day, and
 * the divider “New messages” before the first unread one.
 * @param outgoing all outgoing messages
 */
export function rowsOf(view: ConversationView, outgoing: readonly OutgoingMessage[], zone: Zone): ThreadRow[] {
	const entries = [...view.messages.map((message) => entryOf(message, view)), ...waiting(view, outgoing)]
	const firstNew = view.messages.find(({ id, sender }) => id > view.readId && sender === view.peer.username)
	let previous: Entry | null = null
	const rows: ThreadRow[] = []
	const days = new Set<string>()
	for (const entry of entries) {
		const newDay = !previous || dayOf(previous.at, zone) !== dayOf(entry.at, zone)
		const isNew = entry.row.kind === 'message' && entry.row.message === firstNew
		if (newDay) rows.push({ kind: 'day', key: dayKey(entry, zone, days), at: entry.at })
		if (isNew) rows.push({ kind: 'new', key: 'new' })
		if (previous && !newDay && !isNew && joins(previous, entry)) previous.row.last = false
		rows.push(entry.row)
		previous = entry
	}
	return rows
}

/**
 * A unique key for the separator above an entry. A day may come twice: a message that waits, or was refused, stands at the end, below
 * messages of later days.
 * @param days the keys so far; the new one is added
 */
function dayKey(entry: Entry, zone: Zone, days: Set<string>): string {
	const key = `day-${dayOf(entry.at, zone)}`
	const unique = days.has(key) ? `${key}-${entry.row.key}` : key
	days.add(unique)
	return unique
}

function joins(one: Entry, other: Entry): boolean {
	return (
		one.sender === other.sender && other.at - one.at < GROUP_WITHIN_MS && !isRefused(one.row) && !isRefused(other.row)
	)
}

const isRefused = (row: ThreadRow) => row.kind === 'outgoing' && row.message.refusal !== null

function entryOf(message: ChatMessage, { peer, receipts }: ConversationView): Entry {
	const own = message.sender !== peer.username
	// Keeps the key that it had as an outgoing message.
	const row: ShownMessage = {
		kind: 'message',
		key: `${own ? 'own' : 'peer'}-${message.clientId}`,
		message,
		own,
		last: true,
		receipt: receiptOf(message.id, receipts),
	}
	return { at: Date.parse(message.sentAt), sender: message.sender, row }
}

function receiptOf(id: number, { delivered, read }: ConversationView['receipts']): ReceiptState {
	if (id <= read) return 'read'
	return id <= delivered ? 'delivered' : 'sent'
}

function waiting({ peer, messages, newer }: ConversationView, outgoing: readonly OutgoingMessage[]): Entry[] {
	if (newer) return []
	const arrived = new Set(messages.map(({ clientId }) => clientId))
	return outgoing
		.filter(({ to, clientId }) => to === peer.username && !arrived.has(clientId))
		.map((message) => ({
			at: message.at,
			sender: '',
			row: { kind: 'outgoing', key: `own-${message.clientId}`, message, last: true },
		}))
}
