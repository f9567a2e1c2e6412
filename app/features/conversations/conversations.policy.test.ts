import { expect, test } from 'vitest'
import { type ConversationFacts, conversationState, startingLimitAt } from './conversations.policy.ts'

const strangers: ConversationFacts = {
	name: 'Mira Lind',
	reachable: true,
	exists: false,
	myTurn: false,
	visible: false,
	peerPending: false,
	unanswered: 0,
	blockedByMe: false,
	muted: false,
	accepts: 'members',
	verified: false,
}
const known = { exists: true, visible: true }
const asked = { ...known, myTurn: true }
const asking = { ...known, peerPending: true, unanswered: 1 }

test.each<[string, Partial<ConversationFacts>, string, RegExp | null]>([
	['strangers', {}, 'open', null],
	['strangers, one for nobody', { accepts: 'nobody' }, 'closed', /does not accept new conversations/],
	['strangers, one for verified members', { accepts: 'verified' }, 'closed', /verified students/],
	['strangers, one for verified members, the other verified', { accepts: 'verified', verified: true }, 'open', null],
	['strangers, one without an account', { reachable: false }, 'closed', /cannot receive/],
	['both wrote', known, 'open', null],
	['both wrote, one now for nobody', { ...known, accepts: 'nobody' }, 'open', null],
	['I was asked', asked, 'request', null],
	['I was asked by one who is for nobody', { ...asked, accepts: 'nobody' }, 'request', null],
	['I was asked by one whom I had blocked, and see nothing', { exists: true, myTurn: true }, 'open', null],
	['I asked', asking, 'waiting', null],
	['I asked three times', { ...asking, unanswered: 3 }, 'closed', /once Mira Lind has answered/],
	[
		'I asked, and they are now for nobody',
		{ ...asking, accepts: 'nobody' },
		'closed',
		/does not accept new conversations/,
	],
	['I blocked them', { ...known, blockedByMe: true }, 'closed', /You blocked Mira Lind/],
	['I blocked them when asked', { ...asked, blockedByMe: true }, 'closed', /You blocked Mira Lind/],
])('%s: %#', (_who, facts, kind, reason) => {
	const state = conversationState({ ...strangers, ...facts })
	expect(state.kind).toBe(kind)
	if (reason) expect(state.reason).toMatch(reason)
	else expect(state.reason).toBeNull()
})

test('nobody stands behind the account of somebody who left', () => {
	expect(conversationState({ ...strangers, ...known, reachable: false })).toMatchObject({
		kind: 'closed',
		reachable: false,
	})
	expect(conversationState(strangers)).toMatchObject({ reachable: true })
})

test.each([
	[0, 5],
	[23.9, 5],
	[24, 20],
	[719.9, 20],
	[720, 100],
	[1e6, 100],
])('an account of %d h may start %i conversations a day', (hours, most) => {
	expect(startingLimitAt(hours)).toBe(most)
})
