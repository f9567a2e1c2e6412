import { expect, test } from 'vitest'
import type { ChatMessage } from '../../chat.view.ts'
import type { ConversationView } from '../../client/live-conversation.ts'
import type { OutgoingMessage } from '../../client/outbox.ts'
import { rowsOf, type ThreadRow } from './rows.ts'

const base = Date.parse('2026-11-20T23:50:00Z')

/** A message of anna's conversation with bert, this many minutes after ten to midnight. */
function message(id: number, sender: string, minutes: number): ChatMessage {
	const sentAt = new Date(base + minutes * 60_000).toISOString()
	const text = { body: `${id}`, html: `<p>${id}</p>`, pictures: [], editedAt: null, deleted: false }
	return { id, clientId: `c${id}`, sender, sentAt, version: id, ...text }
}

function rows(
	messages: ChatMessage[],
	more: Partial<ConversationView> = {},
	outgoing: OutgoingMessage[] = [],
): string[] {
	return rowsOf(viewWith(messages, more), outgoing, 'site').map(say)
}

function viewWith(messages: ChatMessage[], more: Partial<ConversationView> = {}): ConversationView {
	return {
		peer: { username: 'bert', name: 'Bert', picture: null, online: true, lastSeenAt: null },
		state: { kind: 'open', reason: null, reachable: true, blockedByMe: false, muted: false },
		messages,
		latest: messages,
		older: false,
		newer: false,
		receipts: { delivered: 0, read: 0 },
		readId: Number.MAX_SAFE_INTEGER,
		common: [],
		stranger: null,
		typing: false,
		...more,
	}
}

const say = (row: ThreadRow) => {
	if (row.kind === 'day' || row.kind === 'new') return row.kind
	const end = row.last ? '.' : ''
	if (row.kind === 'outgoing') return `${row.message.body}${end} ${row.message.refusal ?? 'waiting'}`
	return `${row.message.body}${end}${row.own ? ` ${row.receipt}` : ''}`
}

test('messages of one sender within five minutes are a run, whose last one shows the time', () => {
	const run = [message(1, 'bert', 0), message(2, 'bert', 4), message(3, 'bert', 9.1), message(4, 'anna', 9.2)]
	expect(rows(run)).toEqual(['day', '1', '2.', '3.', '4. sent'])
})

test('a new day begins a new run', () => {
	expect(rows([message(1, 'bert', 9), message(2, 'bert', 11)])).toEqual(['day', '1.', 'day', '2.'])
})

test('the line is before the peer’s first unread message, and splits the run', () => {
	const messages = [message(1, 'bert', 0), message(2, 'anna', 0), message(3, 'bert', 1), message(4, 'bert', 1)]
	expect(rows(messages, { readId: 1 })).toEqual(['day', '1.', '2. sent', 'new', '3', '4.'])
	expect(rows(messages, { readId: 4 })).not.toContain('new')
})

test.each([
	[0, 0, 'sent'],
	[5, 0, 'delivered'],
	[5, 5, 'read'],
	[0, 5, 'read'],
])('delivered up to %i and read up to %i, message 5 is %s', (delivered, read, receipt) => {
	expect(rows([message(5, 'anna', 0)], { receipts: { delivered, read } })).toEqual(['day', `5. ${receipt}`])
})

test('unsent messages are at the end, refused ones separately, acknowledged ones not at all', () => {
	const at = base + 60_000
	const outgoing = [
		{ clientId: 'c1', pictures: [], to: 'bert', body: 'arrived', at, refusal: null },
		{ clientId: 'x', pictures: [], to: 'bert', body: 'first', at, refusal: null },
		{ clientId: 'y', pictures: [], to: 'bert', body: 'second', at, refusal: 'No.' },
		{ clientId: 'z', pictures: [], to: 'carl', body: 'third', at, refusal: null },
	]
	expect(rows([message(1, 'anna', 0)], {}, outgoing)).toEqual(['day', '1. sent', 'first. waiting', 'second. No.'])
})

test('every row has a unique key, even if a refused message is older than the last day', () => {
	const refused = { clientId: 'x', pictures: [], to: 'bert', body: 'refused', at: base + 60_000, refusal: 'No.' }
	const later = { ...refused, clientId: 'y', at: base + 20 * 60_000, refusal: null }
	const view = viewWith([message(1, 'bert', 0), message(2, 'bert', 11)])
	const keys = rowsOf(view, [refused, later], 'site').map(({ key }) => key)
	expect(keys).toHaveLength(8)
	expect(new Set(keys).size).toBe(keys.length)
})
