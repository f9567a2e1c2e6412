import type { ChatMessage, ConversationPage, ConversationState, Marks, MessageWindow } from '../protocol.ts'
import { Conversation, type ConversationView } from './conversation.ts'
import { Outbox, type Outgoing, type Store } from './outbox.ts'
import { SeenMarks } from './seen.ts'
import { Sender } from './sender.ts'
import type { Lock, Transport } from './transport.ts'

/** How often a peer is told at most that this member types, in milliseconds. */
const typingEvery = 3_000

/** No message has a greater id: PostgreSQL's integer. */
const lastPossible = 2 ** 31 - 1

interface ClientParts {
	/** Username. */
	me: string
	transport: Transport
	store: Store
	lock: Lock
	newId: () => string
}

/**
 * The chat of one member in this tab: the conversations that were opened, what waits to be sent, and what the live stream
 * says of both. It knows no screen; components subscribe.
 */
export class ChatClient {
	readonly me: string
	readonly outbox: Outbox
	private readonly transport: Transport
	private readonly newId: () => string
	private readonly sender: Sender
	private readonly marks: SeenMarks
	private readonly conversations = new Map<string, Conversation>()
	/** Peers whose conversation somebody looks at the end of, also while it is being opened. */
	private readonly attended = new Set<string>()
	private readonly listeners = new Set<() => void>()
	private pending: readonly Outgoing[] | null = null
	/** Whether the server cannot be reached, for long enough to say so. */
	away = false
	private typedAt = Number.NEGATIVE_INFINITY

	constructor({ me, transport, store, lock, newId }: ClientParts) {
		this.me = me
		this.transport = transport
		this.newId = newId
		this.outbox = new Outbox(store, me)
		this.marks = new SeenMarks((mark) => transport.seen(mark))
		this.sender = new Sender({
			outbox: this.outbox,
			transport,
			lock,
			onSent: (message, to) => this.hear(to, message),
			onChange: () => this.outboxChanged(),
		})
	}

	readonly subscribe = (listener: () => void): (() => void) => {
		this.listeners.add(listener)
		return () => this.listeners.delete(listener)
	}

	/** Takes a page that was just loaded, and asks for what happened since. */
	open(page: ConversationPage): void {
		const peer = page.peer.username
		const known = this.conversations.get(peer)
		if (known) known.open(page)
		else this.conversations.set(peer, this.make(page))
		this.attend(peer, this.attended.has(peer))
		this.changed()
		if (this.transport.connected()) void this.conversations.get(peer)?.catchUp()
		this.delivered(peer)
	}

	/** What is known of a conversation; null until a page of it was opened. */
	view(peer: string): ConversationView | null {
		return this.conversations.get(peer)?.view() ?? null
	}

	/** All that is on its way, to everybody. The same array until something changes. */
	outgoing(): readonly Outgoing[] {
		this.pending ??= this.outbox.list()
		return this.pending
	}

	/** Puts a message on the screen and into the outbox; blank ones are passed over. @returns whether it was one */
	write(to: string, body: string): boolean {
		if (body.trim() === '') return false
		this.outbox.add({ clientId: this.newId(), to, body })
		this.conversations.get(to)?.wrote()
		this.outboxChanged()
		this.send(to)
		return true
	}

	retry({ clientId, to }: Outgoing): void {
		this.outbox.retry(clientId)
		this.outboxChanged()
		this.send(to)
	}

	discard({ clientId }: Outgoing): void {
		this.outbox.remove(clientId)
		this.outboxChanged()
	}

	/** Tells the peer that this member types, now and then. */
	types(to: string): void {
		const now = Date.now()
		if (now - this.typedAt < typingEvery || !this.transport.connected()) return
		this.typedAt = now
		this.transport.typing(to)
	}

	/** @param attended whether the reader looks at the end of this conversation */
	attend(peer: string, attended: boolean): void {
		if (attended) this.attended.add(peer)
		else this.attended.delete(peer)
		const conversation = this.conversations.get(peer)
		conversation?.attend(attended)
		if (conversation && attended) this.note(peer, conversation.newest, true)
	}

	/** Marks everything of a conversation as read, whether it was opened here or not; the server knows where it ends. */
	readAll(peer: string): void {
		this.transport.seen({ with: peer, upTo: lastPossible, read: true })
	}

	loadOlder(peer: string): Promise<void> {
		return this.conversations.get(peer)?.loadOlder() ?? Promise.resolve()
	}

	loadNewer(peer: string): Promise<void> {
		return this.conversations.get(peer)?.loadNewer() ?? Promise.resolve()
	}

	/** Shows a part of a conversation that was opened, however old, in place of its end; null for the end. */
	show(peer: string, part: MessageWindow | null): void {
		const conversation = this.conversations.get(peer)
		if (part) conversation?.show(part)
		else conversation?.leave()
	}

	/** Asks for what a conversation may have missed, after a change that did not go through the socket. */
	refresh(peer: string): void {
		void this.conversations.get(peer)?.catchUp()
	}

	setAway(away: boolean): void {
		this.away = away
		this.changed()
	}

	/** The connection stands, for the first time or again. */
	connected(): void {
		this.marks.forget()
		for (const [peer, conversation] of this.conversations) {
			void conversation.catchUp()
			this.attend(peer, this.attended.has(peer))
			this.delivered(peer)
		}
		for (const to of new Set(this.outbox.list().map((message) => message.to))) this.send(to)
		this.changed()
	}

	/** The live stream, or an acknowledgement, has a message. */
	hear(peer: string, message: ChatMessage): void {
		if (message.sender === this.me) this.outbox.remove(message.clientId)
		else this.note(peer, message.id, false)
		this.conversations.get(peer)?.hear(message)
		this.outboxChanged()
	}

	hearMarks(peer: string, marks: Marks): void {
		this.conversations.get(peer)?.hearMarks(marks)
	}

	hearTyping(peer: string): void {
		this.conversations.get(peer)?.hearTyping()
	}

	hearState(peer: string, state: ConversationState): void {
		this.conversations.get(peer)?.hearState(state)
	}

	/** The outbox has changed, here or in another tab. */
	outboxChanged(): void {
		this.pending = null
		this.changed()
	}

	private make(page: ConversationPage): Conversation {
		const onArrival = () => this.delivered(page.peer.username)
		return new Conversation(page, { transport: this.transport, onChange: () => this.changed(), onArrival })
	}

	private send(to: string): void {
		this.sender.drain(to).catch(() => {
			// The lock is refused to a tab that is being closed; the next one goes on.
		})
	}

	private delivered(peer: string): void {
		this.note(peer, this.conversations.get(peer)?.newest ?? 0, false)
	}

	private note(peer: string, upTo: number, read: boolean): void {
		if (upTo > 0 && this.transport.connected()) this.marks.note({ with: peer, upTo, read })
	}

	private changed(): void {
		for (const listener of this.listeners) listener()
	}
}
