import { expect, test } from 'vitest'
import type { ChatMessage } from '~/features/chat/chat.view.ts'
import type { ConversationSummary } from '../inbox.view.ts'
import { withAllRead, withMessage, withRead } from './live-list.ts'

const summary = (username: string, minute: number): ConversationSummary => ({
	peer: { username, name: username, picture: null, online: false, lastSeenAt: null },
	last: { sender: username, excerpt: 'Old words', sentAt: at(minute), deleted: false },
	unread: 0,
	muted: false,
	request: false,
})

const at = (minute: number) => `2026-11-21T10:${minute}:00.000Z`

const heard = (peer: string, minute: number, change: Partial<ChatMessage> = {}) => ({
	with: peer,
	unread: 1,
	conversations: 1,
	message: {
		id: 1,
		clientId: 'c',
		sender: peer,
		body: '**New**\nwords',
		html: '<p><strong>New</strong>\nwords</p>',
		pictures: [],
		sentAt: at(minute),
		editedAt: null,
		deleted: false,
		version: 1,
		...change,
	},
})

const list = [summary('bert', 30), summary('carl', 20)]
const say = (rows: ConversationSummary[] | null) =>
	rows?.map(({ peer, last, unread }) => `${peer.username}: ${last?.deleted ? 'deleted' : last?.excerpt} (${unread})`)

test('a long message is cut between characters, as in the loaded list', () => {
	const [first] = withMessage(list, heard('carl', 40, { html: `<p>${'🙂'.repeat(150)}</p>` })) ?? []
	expect(first?.last?.excerpt).toBe(`${'🙂'.repeat(100)}…`)
	const [odd] = withMessage(list, heard('carl', 40, { html: `<p>x${'🙂'.repeat(150)}</p>` })) ?? []
	expect(odd?.last?.excerpt.isWellFormed()).toBe(true)
})

test('a new message moves its conversation to the top', () => {
	expect(say(withMessage(list, heard('carl', 40)))).toEqual(['carl: New words (1)', 'bert: Old words (0)'])
})

test('a change of the last message updates the preview', () => {
	const deleted = heard('carl', 20, { deleted: true, body: '', html: '' })
	expect(say(withMessage(list, deleted))).toEqual(['bert: Old words (0)', 'carl: deleted (1)'])
})

test('a change of an older message does not', () => {
	expect(say(withMessage(list, heard('bert', 10)))).toEqual(['bert: Old words (1)', 'carl: Old words (0)'])
})

test('an unknown conversation requires a reload', () => {
	expect(withMessage(list, heard('dora', 40))).toBeNull()
})

test('reading clears the unread count of one conversation', () => {
	const [bert, carl] = list.map((each) => ({ ...each, unread: 3 }))
	if (!bert || !carl) throw new Error('two conversations')
	expect(say(withRead([bert, carl], 'bert', 0))).toEqual(['bert: Old words (0)', 'carl: Old words (3)'])
})

test('reading everything clears the given conversations, but no requests', () => {
	const all = ['bert', 'carl', 'stranger'].map((name) => ({ ...summary(name, 30), unread: 3 }))
	expect(say(withAllRead(all, ['bert', 'carl', 'not listed']))).toEqual([
		'bert: Old words (0)',
		'carl: Old words (0)',
		'stranger: Old words (3)',
	])
})
