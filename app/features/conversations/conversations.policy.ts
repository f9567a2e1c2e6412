/** Messages that a stranger may write before the first answer. */
export const MAX_UNANSWERED = 3

/** Conversations that a member may start in 24 hours, by the age of the account in hours. The first match counts. */
const STARTING_LIMITS = [
	{ youngerThan: 24, conversations: 5 },
	{ youngerThan: 30 * 24, conversations: 20 },
	{ youngerThan: Number.POSITIVE_INFINITY, conversations: 100 },
]

/** How many conversations an account of this age in hours may start in 24 hours. */
export function startingLimitAt(hours: number): number {
	return STARTING_LIMITS.find(({ youngerThan }) => hours < youngerThan)?.conversations ?? 0
}

/** The state between two members, from the point of view of one of them. */
export interface ConversationFacts {
	name: string
	/** False for authors of imported texts and members who left, whose accounts nobody reads. */
	reachable: boolean
	/** Whether the conversation exists, even if this member sees nothing of it. */
	exists: boolean
	/** Whether a message of the peer waits for this member's first answer, visible or not. */
	myTurn: boolean
	/** Whether this member sees at least one message. */
	visible: boolean
	/** Whether the peer has not answered this member yet. */
	peerPending: boolean
	/** The number of messages that wait for that answer, counted up to the limit. */
	unanswered: number
	blockedByMe: boolean
	muted: boolean
	/** Who may start a conversation with the peer. */
	accepts: 'members' | 'verified' | 'nobody'
	/** Whether this member's university address is confirmed. */
	verified: boolean
}

export interface ConversationState {
	/**
	 * `open`; `request`: a stranger wrote and the viewer has not answered; `waiting`: the viewer wrote first and has no answer yet; `closed`:
	 * nothing can be sent.
	 */
	kind: 'open' | 'request' | 'waiting' | 'closed'
	/** Why it is closed; null if no reason is shown. */
	reason: string | null
	/** As of the facts: whether anybody stands behind the account. */
	reachable: boolean
	blockedByMe: boolean
	muted: boolean
}

/** What this member can do in the conversation. Being blocked by the peer does not count, as members must not learn of it. */
export function conversationState(facts: ConversationFacts): ConversationState {
	const { reachable, blockedByMe, muted } = facts
	const settings = { reachable, blockedByMe, muted }
	const reason = closedBecause(facts)
	if (reason !== null) return { kind: 'closed', reason, ...settings }
	if (facts.myTurn && facts.visible) return { kind: 'request', reason: null, ...settings }
	return { kind: facts.peerPending ? 'waiting' : 'open', reason: null, ...settings }
}

function closedBecause(facts: ConversationFacts): string | null {
	const { name, accepts } = facts
	if (facts.blockedByMe) return `You blocked ${name}. Unblock to write.`
	if (!facts.reachable) return `${name} cannot receive messages.`
	const answers = facts.myTurn && facts.visible
	const known = facts.exists && !facts.peerPending && !facts.myTurn
	if (answers || known) return null
	if (accepts === 'nobody') return `${name} does not accept new conversations.`
	if (accepts === 'verified' && !facts.verified) return `${name} only accepts new conversations from verified students.`
	if (facts.peerPending && facts.unanswered >= MAX_UNANSWERED) return `You can write again once ${name} has answered.`
	return null
}
