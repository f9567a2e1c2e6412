import {
	MAX_PICTURES,
	type OutboxStorage,
	type OutgoingPicture,
	type PictureReference,
	TOO_MANY_PICTURES,
} from '../chat-pictures.view.ts'
import type { PictureStore } from './picture-store.ts'
import type { Uploads } from './uploads.ts'

/** A picture of a message that is not sent yet. */
export interface PictureAttachment extends OutgoingPicture {
	/** The name of its file. */
	name: string
	/** Whether the file is stored in the browser, so that it survives the tab. */
	persisted: boolean
}

interface Parts {
	/** Username of the viewer, as another member of the same tab has other pictures. */
	me: string
	store: PictureStore
	/** Survives a reload; each tab has its own, as it has its own message. */
	tab: OutboxStorage
	uploads: Uploads
	/** The size of a picture in pixels; null if the browser cannot decode it. */
	measure: (file: Blob) => Promise<{ width: number; height: number } | null>
	/** Why a file cannot be sent; null if only the server can tell. */
	refusalOf: (file: File) => string | null
	newId: () => string
	onChange: () => void
}

const unreadable = 'Invalid file type!'
const none: readonly PictureAttachment[] = []

/** The pictures of this tab's messages, from choosing them until the message is acknowledged. */
export class Attachments {
	private readonly parts: Parts
	/** By the peer's username. */
	private readonly chosen = new Map<string, readonly PictureAttachment[]>()
	private readonly refusals = new Map<string, string>()
	private readonly choosing = new Map<string, Promise<void>>()
	/** Peers whose pictures were restored after a reload. */
	private readonly restored = new Set<string>()

	constructor(parts: Parts) {
		this.parts = parts
	}

	/** The pictures of the next message to this member. The same array until something changes. */
	listFor(to: string): readonly PictureAttachment[] {
		return this.chosen.get(to) ?? none
	}

	/** Why the last picture for this member was refused; null if it was not. */
	refusalFor(to: string): string | null {
		return this.refusals.get(to) ?? null
	}

	/** Restores, once, what was chosen before a reload, if the browser still has the files. */
	restore(to: string): void {
		if (this.restored.has(to)) return
		this.restored.add(to)
		const stored = readStored(this.parts.tab.getItem(this.keyOf(to)))
		if (stored.length === 0) return
		const all = Promise.all([this.choosing.get(to), this.takeBack(to, stored)])
		this.choosing.set(
			to,
			all.then(() => {}),
		)
	}

	/** Keeps what was chosen for a member under their new username, for {@link restore}, beside what was chosen under that one. */
	rename(from: string, to: string): void {
		const { tab } = this.parts
		const [stored, there] = [from, to].map((peer) => readStored(tab.getItem(this.keyOf(peer))))
		if (!stored?.length) return
		try {
			tab.setItem(this.keyOf(to), JSON.stringify([...stored, ...(there ?? [])]))
			tab.removeItem(this.keyOf(from))
		} catch {
			// Storage is full.
		}
		// The conversation may be open under the new name already.
		if (this.restored.delete(to)) this.restore(to)
	}

	/** Adds pictures to the next message to this member, one by one, and starts the uploads. */
	choose(to: string, files: readonly File[]): Promise<void> {
		this.refusals.delete(to)
		const before = this.choosing.get(to) ?? Promise.resolve()
		const all = files.reduce((earlier, file) => earlier.then(() => this.chooseOne(to, file)), before)
		this.choosing.set(to, all)
		this.parts.onChange()
		return all
	}

	/** Resolves when every chosen file is in the list or refused. */
	async settled(to: string): Promise<void> {
		await this.choosing.get(to)
	}

	/** Sets the description of a picture. */
	describe(to: string, id: string, alt: string): void {
		this.change(to, (list) => list.map((each) => (each.id === id ? { ...each, alt } : each)))
	}

	/** Removes a picture. */
	drop(to: string, id: string): void {
		this.change(to, (list) => list.filter((each) => each.id !== id))
		this.forget([id])
	}

	/** Whether a message may have all of them: after a rename there may be more. Otherwise the member is told. */
	fits(to: string): boolean {
		if (this.listFor(to).length <= MAX_PICTURES) return true
		this.refuse(to, TOO_MANY_PICTURES)
		return false
	}

	/** Moves the list into a message. @returns its pictures, and whether all of them survive the tab */
	take(to: string): { pictures: OutgoingPicture[]; persisted: boolean } {
		const list = this.listFor(to)
		this.change(to, () => none)
		this.refusals.delete(to)
		const pictures = list.map(({ id, width, height, alt }) => ({ id, width, height, alt: alt.trim() }))
		return { pictures, persisted: list.every(({ persisted }) => persisted) }
	}

	/** Uploads what is still missing. @returns the pictures as the message refers to them, or the reason of a refusal; null to retry later */
	async send(pictures: readonly OutgoingPicture[]): Promise<PictureReference[] | string | null> {
		const sent = await Promise.all(pictures.map(({ id }) => this.parts.uploads.finish(id)))
		const refusal = sent.find((one) => 'refusal' in one && one.refusal !== null)
		if (refusal && 'refusal' in refusal) return refusal.refusal
		const named = pictures.flatMap(({ alt }, index) => {
			const one = sent[index]
			return one && 'path' in one ? [{ path: one.path, alt }] : []
		})
		return named.length === pictures.length ? named : null
	}

	/** Deletes the files: the message was acknowledged or discarded. */
	forget(ids: string[]): void {
		for (const id of ids) this.parts.uploads.cancel(id)
		if (ids.length > 0) void this.parts.store.remove(ids)
	}

	/** The ids of everything that this tab has attached, also before a reload, to messages to anybody. */
	listStored(): string[] {
		return this.peers().flatMap((peer) => readStored(this.parts.tab.getItem(this.keyOf(peer))).map(({ id }) => id))
	}

	/** The usernames of the members for whom this tab has something attached, also before a reload. */
	peers(): string[] {
		const { tab } = this.parts
		const keys = Array.from({ length: tab.length }, (_, index) => tab.key(index) ?? '')
		const prefix = this.keyOf('')
		return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
	}

	private async takeBack(to: string, stored: PictureAttachment[]): Promise<void> {
		const files = await Promise.all(stored.map(({ id }) => this.parts.store.get(id)))
		const listed = this.listFor(to).map(({ id }) => id)
		const found = stored.filter(({ id }, index) => files[index] && !listed.includes(id))
		this.change(to, (list) => [...found, ...list])
		this.fits(to)
		for (const { id } of found) void this.begin(to, id)
	}

	private keyOf(to: string): string {
		return `chat-attached:${this.parts.me}:${to}`
	}

	private async chooseOne(to: string, file: File): Promise<void> {
		const { store, measure, refusalOf, newId } = this.parts
		if (this.listFor(to).length >= MAX_PICTURES) return this.refuse(to, TOO_MANY_PICTURES)
		const refusal = refusalOf(file)
		if (refusal !== null) return this.refuse(to, refusal)
		const size = await measure(file)
		if (!size) return this.refuse(to, unreadable)
		const id = newId()
		const persisted = await store.put(id, file)
		this.change(to, (list) => [...list, { id, ...size, alt: '', name: file.name || 'picture', persisted }])
		void this.begin(to, id)
	}

	/** A refused picture leaves the list, unless a message has already taken it: then the message reports the error. */
	private async begin(to: string, id: string): Promise<void> {
		const sent = await this.parts.uploads.finish(id)
		if (!('refusal' in sent) || sent.refusal === null || !this.listFor(to).some((each) => each.id === id)) return
		this.drop(to, id)
		this.refuse(to, sent.refusal)
	}

	private refuse(to: string, words: string): void {
		this.refusals.set(to, words)
		this.parts.onChange()
	}

	private change(to: string, change: (list: readonly PictureAttachment[]) => readonly PictureAttachment[]): void {
		const list = change(this.listFor(to))
		this.chosen.set(to, list)
		try {
			const persisted = list.filter((picture) => picture.persisted)
			if (persisted.length > 0) this.parts.tab.setItem(this.keyOf(to), JSON.stringify(persisted))
			else this.parts.tab.removeItem(this.keyOf(to))
		} catch {
			// Storage is forbidden or full: the pictures live as long as the page.
		}
		this.parts.onChange()
	}
}

/** Parses the pictures that a tab stored; invalid entries are ignored. */
function readStored(text: string | null): PictureAttachment[] {
	try {
		const list = JSON.parse(text ?? '[]') as PictureAttachment[]
		const isSound = ({ id, alt, name, width, height }: PictureAttachment) =>
			[id, alt, name].every((value) => typeof value === 'string') && [width, height].every(Number.isFinite)
		return list.filter(isSound).map((picture) => ({ ...picture, persisted: true }))
	} catch {
		return []
	}
}
