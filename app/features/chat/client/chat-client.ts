import type { OutboxStorage } from '~/features/chat-pictures/chat-pictures.view.ts'
import { Attachments } from '~/features/chat-pictures/client/attachments.ts'
import type { PictureStore } from '~/features/chat-pictures/client/picture-store.ts'
import { type UploadPicture, Uploads } from '~/features/chat-pictures/client/uploads.ts'
import { draftPeers } from '~/features/conversations/client/chat-drafts.ts'
import { SeenReporter } from '~/features/conversations/client/seen-reporter.ts'
import type { ConversationState } from '~/features/conversations/conversations.policy.ts'
import type { Receipts } from '~/features/conversations/conversations.view.ts'
import { type LiveSocket, on } from '~/platform/realtime/live.ts'
import { type ChatMessage, type ConversationPage, type MessageWindow, trimmedMessage } from '../chat.view.ts'
import { type ConversationView, LiveConversation } from './live-conversation.ts'
import { Outbox, type OutgoingMessage, Sender } from './outbox.ts'
import type { Lock, Transport } from './transport.ts'

/** Minimum milliseconds between two reports that this member types. */
const TYPING_INTERVAL_MS = 3_000

/**
 * `live`; `polling`: there is no socket, so the server is asked every few seconds; `away`: it has been unreachable for long enough
 * to say so; `ended`: the member is no longer logged in.
 */
export type ConnectionState = 'live' | 'polling' | 'away' | 'ended'

interface ClientParts {
	/** Username. */
	me: string
	transport: Transport
	store: OutboxStorage
	lock: Lock
	newId: () => string
	pictures: {
		store: PictureStore
		/** Storage of this tab that survives a reload. */
		tab: OutboxStorage
		upload: UploadPicture
		measure: (file: Blob) => Promise<{ width: number; height: number } | null>
		refusalOf: (file: File) => string | null
	}
}

/** The chat of one member in this tab: opened conversations, the outbox, and live events for both. It renders nothing; components subscribe. */
export class ChatClient {
	readonly me: string
	readonly outbox: Outbox
	readonly pictureStore: PictureStore
	readonly uploads: Uploads
	readonly attachments: Attachments
	private readonly transport: Transport
	private readonly store: OutboxStorage
	private readonly newId: () => string
	private readonly sender: Sender
	private readonly seen: SeenReporter
	private readonly conversations = new Map<string, LiveConversation>()
	/** Peers whose conversation is scrolled to its end, even while it is being opened. */
	private readonly attended = new Set<string>()
	private readonly listeners = new Set<() => void>()
	private pending: readonly OutgoingMessage[] | null = null
	/** Peers whose conversation is on the screen; a peer is listed once for each view. */
	private readonly shown: string[] = []
	connection: ConnectionState = 'live'
	/** When the newest message that this tab knows of was sent; '' before the first one. */
	newestSentAt = ''
	private typedAt = Number.NEGATIVE_INFINITY

	constructor({ me, transport, store, lock, newId, pictures: { upload, ...pictures } }: ClientParts) {
		this.me = me
		this.transport = transport
		this.store = store
		this.newId = newId
		this.outbox = new Outbox(store, me)
		const onChange = () => this.changed()
		this.pictureStore = pictures.store
		this.uploads = new Uploads({ store: pictures.store, upload, onChange })
		this.attachments = new Attachments({ ...pictures, me, uploads: this.uploads, newId, onChange })
		this.seen = new SeenReporter((event, leaving) => transport.seen(event, leaving))
		this.sender = new Sender({
			outbox: this.outbox,
			attachments: this.attachments,
			transport,
			lock,
			onSent: (message, to) => this.receiveMessage(to, message),
			onChange: () => this.outboxChanged(),
		})
	}

	readonly subscribe = (listener: () => void): (() => void) => {
		this.listeners.add(listener)
		return () => this.listeners.delete(listener)
	}

	/** Takes a page that was just loaded, and asks for later changes. */
	open(page: ConversationPage): void {
		const peer = page.peer.username
		this.attachments.restore(peer)
		const known = this.conversations.get(peer)
		if (known) known.open(page)
		else this.conversations.set(peer, this.make(page))
		this.attend(peer, this.attended.has(peer))
		this.changed()
		if (this.transport.connected()) void this.conversations.get(peer)?.catchUp()
		this.delivered(peer)
	}

	/** The known state of a conversation; null until a page of it was opened. */
	view(peer: string): ConversationView | null {
		return this.conversations.get(peer)?.view() ?? null
	}

	/** All outgoing messages, to any peer. The array changes its identity only when something changes. */
	outgoing(): readonly OutgoingMessage[] {
		this.pending ??= this.outbox.list()
		return this.pending
	}

	/**
	 * Shows a message, and puts it into the outbox with the pictures attached to it; blank messages and those with too many pictures are
	 * ignored. @returns whether it was one to send
	 */
	write(to: string, body: string): boolean {
		if (!this.attachments.fits(to)) return false
		const { pictures, persisted } = this.attachments.take(to)
		// The server closes the connection on a message above its size limit, and would on each retry.
		const text = trimmedMessage(body)
		if (text === '' && pictures.length === 0) return false
		this.outbox.add({ clientId: this.newId(), to, body: text, pictures }, persisted)
		this.conversations.get(to)?.wrote()
		this.outboxChanged()
		this.send(to)
		return true
	}

	retry({ clientId, to, pictures }: OutgoingMessage): void {
		for (const { id } of pictures) this.uploads.again(id)
		this.outbox.retry(clientId)
		this.outboxChanged()
		this.send(to)
	}

	discard({ clientId }: OutgoingMessage): void {
		this.remove(clientId)
		this.outboxChanged()
	}

	/** Notifies the peer at intervals that this member is typing. */
	types(to: string): void {
		const now = performance.now()
		if (now - this.typedAt < TYPING_INTERVAL_MS || !this.transport.connected()) return
		this.typedAt = now
		this.transport.typing(to)
	}

	/** @param attended whether the reader is at the end of this conversation */
	attend(peer: string, attended: boolean): void {
		if (attended) this.attended.add(peer)
		else this.attended.delete(peer)
		const conversation = this.conversations.get(peer)
		conversation?.attend(attended)
		if (conversation && attended) this.note(peer, conversation.newest, true)
	}

	loadOlder(peer: string): Promise<void> {
		return this.conversations.get(peer)?.loadOlder() ?? Promise.resolve()
	}

	loadNewer(peer: string): Promise<void> {
		return this.conversations.get(peer)?.loadNewer() ?? Promise.resolve()
	}

	/** Shows an older part of an opened conversation instead of its end; null for the end. */
	show(peer: string, part: MessageWindow | null): void {
		const conversation = this.conversations.get(peer)
		if (part) conversation?.show(part)
		else conversation?.leave()
	}

	/** Asks for changes that a conversation may have missed, after a change that did not go through the socket. */
	refresh(peer: string): void {
		void this.conversations.get(peer)?.catchUp()
	}

	/** Call it before the page unloads: reports at once what was read in the last second. */
	leave(): void {
		if (this.transport.connected()) this.seen.leave()
	}

	setConnection(connection: ConnectionState): void {
		this.connection = connection
		this.changed()
	}

	/** Registers a view of this conversation. @returns unregisters it */
	watch(peer: string): () => void {
		this.shown.push(peer)
		return () => this.shown.splice(this.shown.indexOf(peer), 1)
	}

	/** Asks for changes of the conversations on screen, where there are no live events. */
	poll(): void {
		for (const peer of new Set(this.shown)) this.refresh(peer)
	}

	/** The connection is open, for the first time or again. */
	connected(): void {
		// A page that was rendered for the new username may have been first to ask, before the entries had it.
		this.pending = null
		this.seen.forget()
		this.uploads.hurry()
		for (const [peer, conversation] of this.conversations) {
			void conversation.catchUp()
			this.attend(peer, this.attended.has(peer))
			this.delivered(peer)
		}
		this.sendAll()
		void this.lookForRenames()
		this.changed()
	}

	/** Deletes old picture files of this browser that no message waits with and this tab has not attached. */
	sweepPictures(): Promise<void> {
		const waiting = this.outgoing().flatMap((message) => message.pictures.map(({ id }) => id))
		return this.pictureStore.sweep(new Set([...waiting, ...this.attachments.listStored()]))
	}

	/** Handles a message from a live event or an acknowledgement. */
	receiveMessage(peer: string, message: ChatMessage): void {
		if (message.sender === this.me) this.remove(message.clientId)
		else this.note(peer, message.id, this.attended.has(peer))
		this.conversations.get(peer)?.receiveMessage(message)
		this.noteNewest(message.sentAt)
		this.outboxChanged()
	}

	/** Notes that there is a message of this time; null for none. */
	noteNewest(sentAt: string | null): void {
		if (sentAt !== null && sentAt > this.newestSentAt) this.newestSentAt = sentAt
	}

	receiveReceipts(peer: string, receipts: Receipts): void {
		this.conversations.get(peer)?.receiveReceipts(receipts)
	}

	receiveTyping(peer: string): void {
		this.conversations.get(peer)?.receiveTyping()
	}

	receiveState(peer: string, state: ConversationState): void {
		this.conversations.get(peer)?.receiveState(state)
		// Receipts are not stored while the peer is blocked.
		this.seen.forget()
		this.attend(peer, this.attended.has(peer))
	}

	/** The outbox has changed. */
	outboxChanged(): void {
		this.pending = null
		this.changed()
	}

	/** Another tab has changed the outbox. If it was closed before its message was sent, this one sends it; the lock makes it wait. */
	outboxChangedElsewhere(): void {
		this.outboxChanged()
		if (this.transport.connected()) this.sendAll()
	}

	/** A member was renamed: what waits for them is shown in their conversation, which has another address now. */
	peerRenamed(from: string, to: string): void {
		this.attachments.rename(from, to)
		this.outbox.rename(from, to)
		this.outboxChangedElsewhere()
	}

	/** Finds out whom of those that something unsent is for was renamed while no page was open that would have been told. */
	private async lookForRenames(): Promise<void> {
		const drafts = [...draftPeers(this.me, this.store), ...this.attachments.peers()]
		const peers = new Set([...this.outgoing().map(({ to }) => to), ...drafts])
		const unopened = [...peers].filter((peer) => !this.conversations.has(peer))
		if (unopened.length === 0) return
		// Without an answer, it asks again when the connection returns.
		const renamed = await this.transport.renamed(unopened).catch(() => [])
		for (const { from, to } of renamed) this.transport.missedRename(from, to)
	}

	private make(page: ConversationPage): LiveConversation {
		const onArrival = () => this.delivered(page.peer.username)
		return new LiveConversation(page, { transport: this.transport, onChange: () => this.changed(), onArrival })
	}

	private remove(clientId: string): void {
		const message = this.outbox.remove(clientId)
		this.attachments.forget(message?.pictures.map(({ id }) => id) ?? [])
	}

	/** Sends what waits, to any peer. */
	private sendAll(): void {
		const waiting = this.outgoing().filter(({ refusal }) => refusal === null)
		for (const to of new Set(waiting.map((message) => message.to))) this.send(to)
	}

	private send(to: string): void {
		this.sender.drain(to).catch(() => {
			// A tab that is being closed does not get the lock; the next tab continues.
		})
	}

	private delivered(peer: string): void {
		this.note(peer, this.conversations.get(peer)?.newest ?? 0, false)
	}

	private note(peer: string, upTo: number, read: boolean): void {
		if (upTo > 0 && this.transport.connected()) this.seen.note({ with: peer, upTo, read })
	}

	private changed(): void {
		for (const listener of this.listeners) listener()
	}
}

/** Subscribes the chat to this socket's events. @returns unsubscribes */
export function listenToSocket(socket: LiveSocket, client: ChatClient): () => void {
	const ends = [
		on(socket, 'chat:message', ({ with: peer, message }) => client.receiveMessage(peer, message)),
		on(socket, 'chat:receipts', ({ with: peer, receipts }) => client.receiveReceipts(peer, receipts)),
		on(socket, 'chat:typing', ({ from }) => client.receiveTyping(from)),
		on(socket, 'chat:state', ({ with: peer, state }) => client.receiveState(peer, state)),
		on(socket, 'member:renamed', ({ from, to }) => client.peerRenamed(from, to)),
	]
	return () => {
		for (const end of ends) end()
	}
}
