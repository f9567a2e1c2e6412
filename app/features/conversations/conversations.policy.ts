/** Messages that a stranger may write before the first answer. */
export const MAX_UNANSWERED = 3

/** Conversations that a member may start in 24 hours, by the age of the account in hours; the first line that fits counts. */
const STARTING_LIMITS = [
	{ youngerThan: 24, conversations: 5 },
	{ youngerThan: 30 * 24, conversations: 20 },
	{ youngerThan: Number.POSITIVE_INFINITY, conversations: 100 },
]

/** How many conversations an account that is so many hours old may start in 24 hours. */
export function startingLimitAt(hours: number): number {
	return STARTING_LIMITS.find(({ youngerThan }) => hours < youngerThan)?.conversations ?? 0
}

/** How two members stand to each other, seen by one of them. */
export interface ConversationFacts {
	/** Full name of the peer. */
	name: string
	/** Whether the peer can be written to at all: nobody reads for an imported author. */
	reachable: boolean
	/** Whether there is a conversation, however little of it this member sees. */
	exists: boolean
	/** A message of the peer waits for this member's first answer, or would if they could see it. */
	myTurn: boolean
	/** This member sees at least one message. */
	visible: boolean
	/** The peer has not answered this member yet. */
	peerPending: boolean
	/** How many messages wait for that, counted to the limit. */
	unanswered: number
	blockedByMe: boolean
	muted: boolean
	/** Whom the peer lets begin a conversation. */
	accepts: 'members' | 'verified' | 'nobody'
	/** Whether this member's university address is confirmed. */
	verified: boolean
}

export interface ConversationState {
	/**
	 * `open`; `request`: a stranger wrote and I have not answered; `waiting`: I wrote first and was not answered;
	 * `closed`: nothing can be sent.
	 */
	kind: 'open' | 'request' | 'waiting' | 'closed'
	/** Why it is closed, in words; null when nothing is said about it. */
	reason: string | null
	blockedByMe: boolean
	muted: boolean
}

/** What this member can do in the conversation. That the peer blocked them is not asked: it must not show. */
export function conversationState(facts: ConversationFacts): ConversationState {
	const { blockedByMe, muted } = facts
	const reason = closedBecause(facts)
	if (reason !== null) return { kind: 'closed', reason, blockedByMe, muted }
	if (facts.myTurn && facts.visible) return { kind: 'request', reason: null, blockedByMe, muted }
	return { kind: facts.peerPending ? 'waiting' : 'open', reason: null, blockedByMe, muted }
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
