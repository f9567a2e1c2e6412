import type { ConversationState } from '~/features/conversations/conversations.policy.ts'
import type { Peer, Receipts, StrangerView } from '~/features/conversations/conversations.view.ts'
import type { ChatMessage, ConversationPage, MessageWindow } from '../chat.view.ts'
import { MessageHistory } from './message-history.ts'
import { type Transport, waitBeforeRetry } from './transport.ts'

/** Milliseconds for which a member is shown as typing after their last report; they report every 3 s. */
export const TYPING_SHOWN_MS = 5_000

/** After this many failures in a row, only the next event or reconnection asks again. */
const MAX_TRIES = 6

/** A restore raises versions by 10,000, from those of the backup. A tab may know some that are lost, so fewer are missing there. */
const RESTORED_AHEAD = 5_000

/** What a view of a conversation renders, besides the outbox. */
export interface ConversationView {
	peer: Peer
	state: ConversationState
	messages: readonly ChatMessage[]
	/** Whether the server has messages before the first one. */
	older: boolean
	/** Whether this is an older part of the conversation, with further messages after it. */
	newer: boolean
	/** The end of the conversation, shown or not. */
	latest: readonly ChatMessage[]
	receipts: Receipts
	/** The peer's messages after this id are below the divider “New messages”. */
	readId: number
	/** Skills that both members have; only before the first message, and for a stranger. */
	common: readonly string[]
	/** The stranger who sent a request that the reader has not answered. */
	stranger: StrangerView | null
	typing: boolean
}

/**
 * A page as a view, for server rendering and until the client has taken over.
 * @param part shown instead of the end
 */
export function viewOf({ version: _, ...page }: ConversationPage, part: MessageWindow | null = null): ConversationView {
	return { ...page, latest: page.messages, newer: false, typing: false, ...part }
}

/** One conversation, kept in sync with the server by live events, and by asking for changes that they missed. */
export class LiveConversation {
	private readonly transport: Transport
	private readonly onChange: () => void
	private readonly onArrival: () => void
	private readonly thread = new MessageHistory()
	private peer: Peer
	private state: ConversationState
	private receipts: Receipts
	private readId: number
	private common: readonly string[]
	private stranger: StrangerView | null
	/** Whether the reader is at its end, so that new messages are read at once. */
	private attended = false
	private typing: ReturnType<typeof setTimeout> | null = null
	private asking: Promise<void> | null = null
	private askAgain = false
	private loadingOlder: Promise<void> | null = null
	private loadingNewer: Promise<void> | null = null
	private drawn: ConversationView | null = null

	/** @param parts `onArrival` is called when messages of the peer arrive, live or by catching up */
	constructor(page: ConversationPage, parts: { transport: Transport; onChange: () => void; onArrival: () => void }) {
		this.transport = parts.transport
		this.onChange = parts.onChange
		this.onArrival = parts.onArrival
		this.peer = page.peer
		this.state = page.state
		this.receipts = page.receipts
		this.readId = page.readId
		this.common = page.common
		this.stranger = page.stranger
		this.thread.open(page)
	}

	/** Takes a page that was loaded later. */
	open(page: ConversationPage): void {
		const { peer, state, common, stranger } = page
		this.peer = peer
		this.state = state
		this.common = common
		this.stranger = stranger
		this.take(page.receipts)
		if (!this.attended) this.readId = page.readId
		this.thread.open(page)
		this.change()
	}

	/** The current view. The object changes its identity only when something changes. */
	view(): ConversationView {
		this.drawn ??= {
			peer: this.peer,
			state: this.state,
			messages: this.thread.list(),
			older: this.thread.older,
			newer: this.thread.newer,
			latest: this.thread.latest(),
			receipts: this.receipts,
			readId: this.readId,
			common: this.common,
			stranger: this.stranger,
			typing: this.typing !== null,
		}
		return this.drawn
	}

	/** Id of the peer's newest message, 0 for none. */
	get newest(): number {
		return this.thread.latest().findLast(({ sender }) => sender === this.peer.username)?.id ?? 0
	}

	receiveMessage(message: ChatMessage): void {
		const own = message.sender !== this.peer.username
		const newest = this.newest
		const outcome = this.thread.receive(message, own)
		if (outcome === 'gap') void this.catchUp()
		if (outcome === 'applied' && !own) this.met(newest)
		this.change()
	}

	receiveReceipts(receipts: Receipts): void {
		this.take(receipts)
		this.change()
	}

	receiveState(state: ConversationState): void {
		this.state = state
		this.change()
	}

	receiveTyping(): void {
		if (this.typing) clearTimeout(this.typing)
		this.typing = setTimeout(() => this.stopTyping(), TYPING_SHOWN_MS)
		this.change()
	}

	/** @param attended whether the reader is at the end */
	attend(attended: boolean): void {
		this.attended = attended
	}

	/** This member wrote, so they have seen everything above. */
	wrote(): void {
		this.readId = Number.MAX_SAFE_INTEGER
		this.leave()
	}

	/** Shows an older part instead of the end. */
	show(part: MessageWindow): void {
		this.thread.show(part)
		this.change()
	}

	/** Shows the end again. */
	leave(): void {
		this.thread.leave()
		this.change()
	}

	/** Asks for all later changes, until nothing is missing. */
	catchUp(): Promise<void> {
		this.askAgain = true
		this.asking ??= this.ask().finally(() => {
			this.asking = null
		})
		return this.asking
	}

	/** Loads the page before the first message; not concurrently. */
	loadOlder(): Promise<void> {
		this.loadingOlder ??= this.askOlder().finally(() => {
			this.loadingOlder = null
		})
		return this.loadingOlder
	}

	/** Loads the page after the last message of a part; not concurrently. */
	loadNewer(): Promise<void> {
		this.loadingNewer ??= this.askNewer().finally(() => {
			this.loadingNewer = null
		})
		return this.loadingNewer
	}

	private async ask(): Promise<void> {
		for (let tries = 0; tries < MAX_TRIES && this.askAgain && this.transport.connected(); ) {
			this.askAgain = false
			try {
				await this.askOnce()
				tries = 0
			} catch {
				this.askAgain = true
				await waitBeforeRetry(tries)
				tries += 1
			}
		}
	}

	private async askOnce(): Promise<void> {
		const newest = this.newest
		const stands = this.state
		const { version } = this.thread
		const { username } = this.peer
		const changes = await this.transport.since(username, version)
		if (changes.peer && changes.peer !== username) return this.transport.missedRename(username, changes.peer)
		if (changes.version < version || changes.version - version >= RESTORED_AHEAD) return this.startOver()
		this.thread.catchUp(changes)
		this.take(changes.receipts)
		// Live events that arrived meanwhile are newer.
		if (this.state === stands) this.state = changes.state
		if (this.newest > newest) this.met(newest)
		this.change()
		if (changes.complete) return
		// Too many changes: loads the end first; the gap is loaded when the reader scrolls there.
		this.open(await this.transport.page(this.peer.username))
		this.askAgain = true
	}

	/** The site has been restored from a backup of an earlier state: what is known here may not be there. */
	private async startOver(): Promise<void> {
		const page = await this.transport.page(this.peer.username)
		this.thread.forgetAll()
		this.receipts = page.receipts
		this.open(page)
		this.askAgain = true
	}

	private async askOlder(): Promise<void> {
		const first = this.thread.list()[0]?.id
		if (!this.thread.older || first === undefined) return
		const page = await this.transport.before(this.peer.username, first)
		// The view has moved elsewhere meanwhile.
		if (this.thread.list()[0]?.id !== first) return
		this.thread.prepend(page)
		this.change()
	}

	private async askNewer(): Promise<void> {
		const last = this.thread.list().at(-1)?.id
		if (!this.thread.newer || last === undefined) return
		const page = await this.transport.after(this.peer.username, last)
		if (!this.thread.newer || this.thread.list().at(-1)?.id !== last) return
		this.thread.append(page)
		this.change()
	}

	/** Messages of the peer arrived after this one. An existing divider stays where it is. */
	private met(newest: number): void {
		this.stopTyping()
		this.onArrival()
		if (newest <= this.readId) this.readId = this.attended ? Number.MAX_SAFE_INTEGER : newest
	}

	private stopTyping(): void {
		if (this.typing) clearTimeout(this.typing)
		this.typing = null
		this.change()
	}

	private take({ delivered, read }: Receipts): void {
		const known = this.receipts
		this.receipts = { delivered: Math.max(known.delivered, delivered), read: Math.max(known.read, read) }
	}

	private change(): void {
		this.drawn = null
		this.onChange()
	}
}
