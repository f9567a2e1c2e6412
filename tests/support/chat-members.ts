import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatMessage, ConversationPage, SendResult } from '~/features/chat/chat.view.ts'
import { ChatClient } from '~/features/chat/client/chat-client.ts'
import { keepReconnecting, type LiveSocket } from '~/platform/realtime/live.ts'
import { listenToSocket } from '../../app/features/chat/client/chat-client.ts'
import { SocketTransport } from '../../app/features/chat/client/transport.ts'
import type { View, WrittenMessage, WrittenMessages } from './chat-history.ts'
import { Browser, makeStore } from './chat-network.ts'
import { requestPage } from './members-site.ts'
import { startTab } from './tabs.ts'

/** Milliseconds before a failed request is retried, where the product relies on a reload. */
const pause = 150

/** A member's site, session and peer. */
export interface Place {
	url: string
	cookie: string
	from: string
	to: string
}

/** A member's browser, whose tabs are the product's client on a real network, without the UI. */
export class ChatMember {
	readonly written: WrittenMessages
	private readonly place: Place
	private readonly browser: Browser
	private readonly tabs: ChatTab[]
	/** Messages with a pending change. */
	private readonly changing = new Map<string, Promise<void>>()

	/** @param tabs number of tabs that show the conversation */
	constructor(place: Place, tabs = 1) {
		this.place = place
		this.written = { from: place.from, to: place.to, messages: [] }
		this.browser = new Browser(place.from)
		this.tabs = Array.from({ length: tabs }, () => this.openTab())
	}

	/** Writes a message in a tab. */
	write(body: string, tab = 0): void {
		const { client } = this.tabAt(tab)
		const known = new Set(client.outbox.list().map(({ clientId }) => clientId))
		client.write(this.place.to, body)
		const { clientId = '' } = client.outbox.list().find((one) => !known.has(one.clientId)) ?? {}
		this.written.messages.push({ clientId, body, acknowledged: null, changes: [] })
	}

	/** Shows the end of the conversation, which marks everything as read. */
	read(tab = 0): void {
		const { client } = this.tabAt(tab)
		client.attend(this.place.to, true)
		client.attend(this.place.to, false)
	}

	/** Edits a message, or deletes it with the text ''; does nothing if it is not stored or already being changed. */
	change(message: WrittenMessage | undefined, body: string): void {
		if (!message?.acknowledged || this.changing.has(message.clientId)) return
		const change = { body, acknowledged: false }
		message.changes.push(change)
		const form = { intent: body === '' ? 'delete' : 'edit', id: String(message.acknowledged), body }
		const work = requestPage(this.place.url, `/messages/${this.place.to}`, this.place.cookie, form)
			.then(({ status }) => {
				change.acknowledged = status === 303
			})
			.catch(() => {})
			.finally(() => this.changing.delete(message.clientId))
		this.changing.set(message.clientId, work)
	}

	/** Cuts the connection as a lost network would; the client reconnects. */
	cut(tab = 0): void {
		this.tabAt(tab).cut()
	}

	/** Closes a tab and opens the conversation in a new one. */
	reload(tab = 0): void {
		this.tabAt(tab).close()
		this.tabs[tab % this.tabs.length] = this.openTab()
	}

	/** Suspends the device: nothing is sent or received until {@link wake}. */
	sleep(): void {
		for (const tab of this.tabs) tab.sleep()
	}

	wake(): void {
		for (const tab of this.tabs) tab.wake()
	}

	/** Unacknowledged messages and changes. */
	get unsettled(): string[] {
		const { from, messages } = this.written
		const waiting = messages.filter(
			({ clientId, acknowledged }) => acknowledged === null || this.changing.has(clientId),
		)
		return waiting.map(({ body }) => `${from}: ${body}`)
	}

	/** What each tab shows, scrolled up to the first message, with the product's own requests only. */
	async readTabs(): Promise<View[]> {
		const views = this.tabs.map(async (tab, index) => this.viewOf(`tab ${index}`, await tab.readAll()))
		return Promise.all(views)
	}

	/** What a new page load shows. */
	async readPages(): Promise<View> {
		const transport = new SiteTransport(this.place, () => {})
		const { version, ...page } = await untilAnswered(() => transport.page(this.place.to))
		const messages = [...page.messages]
		for (let { older } = page; older; ) {
			const before = await untilAnswered(() => transport.before(this.place.to, messages[0]?.id ?? 0))
			messages.unshift(...before.messages)
			older = before.older
		}
		return this.viewOf('pages', messages, version)
	}

	leave(): void {
		for (const tab of this.tabs) tab.close()
	}

	private tabAt(index: number): ChatTab {
		const tab = this.tabs[index % this.tabs.length]
		if (!tab) throw new Error('This member has no tab.')
		return tab
	}

	private openTab(): ChatTab {
		return new ChatTab(this.place, this.browser, (clientId, id) => this.acknowledge(clientId, id))
	}

	private acknowledge(clientId: string, id: number): void {
		const message = this.written.messages.find((one) => one.clientId === clientId)
		if (message) message.acknowledged ??= id
	}

	private viewOf(by: string, messages: readonly ChatMessage[], version = Number.POSITIVE_INFINITY): View {
		const seen = messages.map(({ id, clientId, sender, body, version }) => ({ id, clientId, sender, body, version }))
		return { member: this.place.from, peer: this.place.to, by, version, messages: seen }
	}
}

/** A page of the conversation in a tab: loaded, then live. */
/** Members of a run send text only. */
const noPictures = {
	upload: () => Promise.reject(new Error('There is no picture to send.')),
	measure: () => Promise.reject(new Error('There is no picture to measure.')),
	refusalOf: () => null,
}

class ChatTab {
	readonly client: ChatClient
	private readonly place: Place
	private readonly transport: SiteTransport
	private readonly onStored: (clientId: string, id: number) => void
	private disconnect: (() => void) | null = null
	private isOpen = true

	constructor(place: Place, browser: Browser, onStored: (clientId: string, id: number) => void) {
		this.place = place
		this.onStored = onStored
		this.transport = new SiteTransport(place, onStored)
		const { store, lock, member: me } = browser
		const pictures = { ...noPictures, store: browser.pictures, tab: makeStore() }
		this.client = new ChatClient({ me, transport: this.transport, store, lock, newId: randomUUID, pictures })
		this.wake()
		void untilAnswered(() => this.transport.page(place.to)).then((page) => this.isOpen && this.client.open(page))
	}

	async readAll(): Promise<readonly ChatMessage[]> {
		const view = () => this.client.view(this.place.to)
		while (view()?.older) await untilAnswered(() => this.client.loadOlder(this.place.to))
		return view()?.messages ?? []
	}

	cut(): void {
		if (this.transport.connected()) this.transport.socket?.io.engine?.close()
	}

	sleep(): void {
		this.disconnect?.()
		this.disconnect = null
	}

	wake(): void {
		if (!this.isOpen || this.disconnect) return
		const socket: LiveSocket = startTab(this.place.url, { Cookie: this.place.cookie })
		socket.on('chat:message', ({ message }) => {
			if (message.sender === this.place.from) this.onStored(message.clientId, message.id)
		})
		this.transport.socket = socket
		socket.on('connect', () => this.client.connected())
		const ends = [keepReconnecting(socket), listenToSocket(socket, this.client), () => socket.disconnect()]
		this.disconnect = () => {
			for (const end of ends) end()
		}
	}

	close(): void {
		this.isOpen = false
		this.sleep()
	}
}

/** The transport of a client outside a browser. */
export class SiteTransport extends SocketTransport {
	private readonly place: Place
	private readonly onStored: (clientId: string, id: number) => void

	constructor(place: Place, onStored: (clientId: string, id: number) => void) {
		super(place.from)
		this.place = place
		this.onStored = onStored
	}

	override async send(message: { to: string; clientId: string; body: string }): Promise<SendResult | null> {
		const answer = await super.send(message)
		if (answer?.ok) this.onStored(message.clientId, answer.message.id)
		return answer
	}

	override page = (peer: string) => this.ask<ConversationPage>(peer, 'page=1')
	override since = (peer: string, version: number) =>
		this.ask<Awaited<ReturnType<SocketTransport['since']>>>(peer, `since=${version}`)
	override before = (peer: string, id: number) =>
		this.ask<Awaited<ReturnType<SocketTransport['before']>>>(peer, `before=${id}`)

	override after = (peer: string, id: number) =>
		this.ask<Awaited<ReturnType<SocketTransport['after']>>>(peer, `after=${id}`)

	private async ask<Answer>(peer: string, question: string): Promise<Answer> {
		const answer = await requestPage(this.place.url, `/messages/${peer}/history?${question}`, this.place.cookie)
		if (!answer.ok) throw new Error(`The conversation answered ${answer.status}`)
		return (await answer.json()) as Answer
	}
}

async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
	for (;;) {
		try {
			return await ask()
		} catch {
			await sleep(pause)
		}
	}
}
