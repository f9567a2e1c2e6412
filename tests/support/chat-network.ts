import type { ChatMessage, ConversationPage, SendPayload, SendResult } from '~/features/chat/chat.view.ts'
import { ChatClient } from '~/features/chat/client/chat-client.ts'
import type { Lock, Transport } from '~/features/chat/client/transport.ts'
import type { OutboxStorage } from '~/features/chat-pictures/chat-pictures.view.ts'
import type { PictureStore } from '~/features/chat-pictures/client/picture-store.ts'
import type { UploadPicture } from '~/features/chat-pictures/client/uploads.ts'
import type { ConversationState } from '~/features/conversations/conversations.policy.ts'
import type { Receipts } from '~/features/conversations/conversations.view.ts'

/*
 * A fake of the chat's server, and a network that loses, duplicates and delays. tests/process/chat-contract.db.test.ts runs the same cases
 * against the fake and the real server. For unit tests that need a thousand runs.
 */

const pageSize = 50
const MAX_CHANGES = 200

/** A seeded sequence of random numbers from 0 to 1. */
export function chances(seed: number): () => number {
	let state = seed
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
		return state / 4_294_967_296
	}
}

/** One conversation of two members. */
export class ChatServer {
	readonly rows: ChatMessage[] = []
	version = 0
	/** The receipts of the requesting member's peer. */
	receipts: Receipts = { delivered: 0, read: 0 }
	state: ConversationState = { kind: 'open', reason: null, reachable: true, blockedByMe: false, muted: false }
	/** Errors for the next messages, instead of storing them, in order. */
	readonly refusals: Exclude<SendResult, { ok: true }>[] = []
	/** Number of send requests, stored or not. */
	sends = 0
	/** Errors for the next uploads, instead of storing them, in order. */
	readonly pictureRefusals: string[] = []
	/** Number of stored uploads. */
	uploads = 0
	readonly seen: { by: string; upTo: number; read: boolean; leaving: boolean }[] = []
	/** Present usernames by former ones. */
	readonly renamed = new Map<string, string>()
	private readonly tabs = new Set<Tab>()

	join(tab: Tab): void {
		this.tabs.add(tab)
	}

	leave(tab: Tab): void {
		this.tabs.delete(tab)
	}

	send(sender: string, clientId: string, body: string, pictures: SendPayload['pictures'] = []): SendResult {
		this.sends += 1
		const refusal = this.refusals.shift()
		if (refusal) return refusal
		const stands = this.rows.find((row) => row.sender === sender && row.clientId === clientId)
		if (stands) return { ok: true, message: { ...stands } }
		const shown = pictures.map((picture) => ({ ...picture, width: 1, height: 1 }))
		const row = { ...blank, id: this.rows.length + 1, clientId, sender, body, pictures: shown }
		return { ok: true, message: this.put(row) }
	}

	change(id: number, change: Partial<ChatMessage>): void {
		const row = this.rows.find((each) => each.id === id)
		if (row) this.put({ ...row, ...change })
	}

	page(peer: string): ConversationPage {
		const messages = this.rows.slice(-pageSize)
		return {
			peer: { username: peer, name: peer, picture: null, online: true, lastSeenAt: null },
			state: this.state,
			messages,
			older: this.rows.length > messages.length,
			version: this.version,
			receipts: this.receipts,
			readId: 0,
			common: [],
			stranger: null,
		}
	}

	before(id: number) {
		const older = this.rows.filter((row) => row.id < id)
		return { messages: older.slice(-pageSize), older: older.length > pageSize }
	}

	after(id: number) {
		const newer = this.rows.filter((row) => row.id > id)
		return { messages: newer.slice(0, pageSize), older: true, newer: newer.length > pageSize }
	}

	/** The messages around one, this many on either side. */
	around(id: number, each: number) {
		const messages = this.rows.filter((row) => Math.abs(row.id - id) <= each)
		return { messages, older: id - each > 1, newer: id + each < this.rows.length }
	}

	since(version: number, of: string) {
		const all = this.rows.filter((row) => row.version > version).sort((one, other) => one.version - other.version)
		const messages = all.slice(0, MAX_CHANGES)
		const { receipts, state } = this
		const peer = this.renamed.get(of) ?? of
		return { messages, version: this.version, complete: messages.length === all.length, receipts, state, peer }
	}

	private put(row: ChatMessage): ChatMessage {
		this.version += 1
		const changed = { ...row, version: this.version }
		const at = this.rows.findIndex(({ id }) => id === row.id)
		if (at >= 0) this.rows[at] = changed
		else this.rows.push(changed)
		for (const tab of this.tabs) tab.receive(changed)
		return { ...changed }
	}
}

const blank = { html: '', pictures: [], sentAt: new Date(0).toISOString(), editedAt: null, deleted: false, version: 0 }

/** A member's browser: its storage, and the lock that its tabs share. */
export class Browser {
	readonly member: string
	readonly store = makeStore()
	/** Pictures stored by its tabs. */
	readonly files = new Map<string, Blob>()
	private ids = 0
	private readonly held = new Map<string, Promise<void>>()

	constructor(member: string) {
		this.member = member
	}

	readonly lock: Lock = (name, work) => {
		const turn = (this.held.get(name) ?? Promise.resolve()).then(work)
		this.held.set(
			name,
			turn.catch(() => {}),
		)
		return turn
	}

	readonly pictures: PictureStore = {
		put: async (id, file) => {
			this.files.set(id, file)
			return true
		},
		get: async (id) => this.files.get(id) ?? null,
		remove: async (ids) => {
			for (const id of ids) this.files.delete(id)
		},
		// As if all files were old.
		sweep: async (used) => {
			for (const id of this.files.keys()) if (!used.has(id)) this.files.delete(id)
		},
	}

	readonly newId = () => {
		this.ids += 1
		return `${this.member}-${this.ids}`
	}
}

/** The behaviour of a tab's connection; probabilities from 0 to 1. */
export interface NetworkFaults {
	/** A request or its response is lost. */
	loss: number
	/** A live event arrives twice. */
	double: number
	/** The maximum delay in milliseconds. */
	delay: number
}

export const noFaults: NetworkFaults = { loss: 0, double: 0, delay: 0 }

/** A tab of a member, connected by such a network. */
export class Tab implements Transport {
	readonly client: ChatClient
	weather: NetworkFaults
	private readonly server: ChatServer
	private readonly browser: Browser
	private readonly chance: () => number
	private online = false
	/** Counts connections: what was in transit when one was lost never arrives. */
	private era = 0

	/** Session storage: a tab that is given it is a reload of this one. */
	readonly session: OutboxStorage

	constructor(
		server: ChatServer,
		browser: Browser,
		weather = noFaults,
		chance = chances(1),
		session: OutboxStorage = makeStore(),
	) {
		this.session = session
		this.server = server
		this.browser = browser
		this.weather = weather
		this.chance = chance
		const { member: me, store, lock, newId } = browser
		const size = { width: 4, height: 3 }
		const pictures = {
			...{ store: browser.pictures, tab: session, upload: this.upload },
			...{ measure: async (file: Blob) => (file.size > 0 ? size : null), refusalOf: () => null },
		}
		this.client = new ChatClient({ me, transport: this, store, lock, newId, pictures })
	}

	connect(): void {
		if (this.online) return
		this.online = true
		this.era += 1
		this.server.join(this)
		this.client.connected()
	}

	cut(): void {
		this.online = false
		this.era += 1
		this.server.leave(this)
	}

	receive(message: ChatMessage): void {
		const peer = this.peer
		const era = this.era
		const times = this.chance() < this.weather.double ? 2 : 1
		if (this.chance() < this.weather.loss) return
		for (let time = 0; time < times; time += 1)
			void this.travel().then(() => era === this.era && this.client.receiveMessage(peer, { ...message }))
	}

	private get peer(): string {
		return this.browser.member === 'anna' ? 'bert' : 'anna'
	}

	connected = () => this.online

	private readonly upload: UploadPicture = async (file, { signal, onProgress }) => {
		while (!signal.aborted) {
			const era = this.era
			onProgress({ sent: 0.5, waiting: !this.online })
			await this.travel()
			if (this.online && era === this.era && this.chance() >= this.weather.loss && !signal.aborted) {
				const refusal = this.server.pictureRefusals.shift()
				if (refusal) return { refusal }
				this.server.uploads += 1
				return { path: `messages/${await file.text()}` }
			}
			await new Promise((resolve) => setTimeout(resolve, 30_000))
		}
		return { refusal: null }
	}

	async send({ clientId, body, pictures }: SendPayload): Promise<SendResult | null> {
		const era = this.era
		await this.travel()
		if (era !== this.era || this.chance() < this.weather.loss) return null
		const answer = this.server.send(this.browser.member, clientId, body, pictures)
		await this.travel()
		return era !== this.era || this.chance() < this.weather.loss ? null : answer
	}

	seen = ({ upTo, read }: { upTo: number; read: boolean }, leaving: boolean) => {
		this.server.seen.push({ by: this.browser.member, upTo, read, leaving })
	}

	/** Number of reports that this member types. */
	typed = 0

	typing = () => {
		this.typed += 1
	}

	/** Renames of the peer that it noticed late. */
	readonly renames: { from: string; to: string }[] = []

	missedRename = (from: string, to: string) => {
		this.renames.push({ from, to })
	}

	renamed = (usernames: string[]) =>
		this.ask(() =>
			[...this.server.renamed].map(([from, to]) => ({ from, to })).filter(({ from }) => usernames.includes(from)),
		)
	page = (peer: string) => this.ask(() => this.server.page(peer))
	since = (peer: string, version: number) => this.ask(() => this.server.since(version, peer))
	before = (_peer: string, id: number) => this.ask(() => this.server.before(id))
	after = (_peer: string, id: number) => this.ask(() => this.server.after(id))

	private async ask<Answer>(answer: () => Answer): Promise<Answer> {
		await this.travel()
		if (!this.online || this.chance() < this.weather.loss) throw new Error('no answer')
		const response = structuredClone(answer())
		await this.travel()
		return response
	}

	private travel(): Promise<void> {
		const delay = Math.floor(this.chance() * this.weather.delay)
		return delay > 0 ? new Promise((resolve) => setTimeout(resolve, delay)) : Promise.resolve()
	}
}

/** A `Storage` without a browser, with keys in arbitrary order, as browsers may have. */
export function makeStore(): OutboxStorage {
	const kept = new Map<string, string>()
	return {
		get length() {
			return kept.size
		},
		key: (index) => [...kept.keys()].reverse()[index] ?? null,
		getItem: (key) => kept.get(key) ?? null,
		setItem: (key, value) => void kept.set(key, value),
		removeItem: (key) => void kept.delete(key),
	}
}

/** Two members with their conversation open, without failures of the network. */
export function pair() {
	const server = new ChatServer()
	const browsers = { anna: new Browser('anna'), bert: new Browser('bert') }
	const anna = open(server, browsers.anna)
	const bert = open(server, browsers.bert)
	return { server, browsers, anna, bert }
}

/** Opens the conversation with the other one of two members in a tab. */
export function open(server: ChatServer, browser: Browser, ...more: unknown[]): Tab {
	const tab = new Tab(server, browser, ...(more as []))
	tab.client.open(server.page(peerOf(tab)))
	tab.connect()
	return tab
}

/** The other one of the two members. */
export const peerOf = (tab: Tab) => (tab.client.me === 'anna' ? 'bert' : 'anna')
