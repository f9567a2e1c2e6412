import { askInput } from '~/features/questions/questions.schema.ts'
import { type FormRefusal, type FormValues, submitForm } from '~/platform/http/form.ts'
import { readStored } from '~/ui/form-kit.ts'
import type { AskValues, Draft, DraftSaved } from '../asking.view.ts'

/** Milliseconds from the first unsaved keystroke to its save on the server. */
const SAVE_DELAY_MS = 3_000
/** The same after a save that failed. */
const RETRY_DELAY_MS = 10_000

interface SaverOptions {
	key: string
	/** Takes the draft out of this browser. */
	forget: () => void
	/** What the fields say, and the version of the question that an edit began with; null when there is nothing to store. */
	read: () => (AskValues & { madeFrom: number }) | null
	/** Told what the server answered, and whether more was typed meanwhile. */
	onSaved: (saved: DraftSaved, unsent: boolean) => void
}

/** The savers of the open forms by their key, so that sending a form waits for the save that is on its way. */
const open = new Map<string, DraftSaver>()

/**
 * Stores what is typed into one form on the server: a few seconds after a change, one save at a time, and at once when the
 * page goes away. A save that fails is tried again; this browser has the text meanwhile.
 */
export class DraftSaver {
	version = 0
	private readonly options: SaverOptions
	private timer: ReturnType<typeof setTimeout> | undefined
	private running: Promise<void> = Promise.resolve()
	private dirty = false
	private isPaused = false

	constructor(options: SaverOptions) {
		this.options = options
	}

	/** Begins to listen. @returns what ends it, with a last save */
	start(): () => void {
		this.isPaused = false
		open.set(this.options.key, this)
		const leave = () => this.leave()
		window.addEventListener('pagehide', leave)
		return () => {
			window.removeEventListener('pagehide', leave)
			this.leave()
			clearTimeout(this.timer)
			if (open.get(this.options.key) === this) open.delete(this.options.key)
		}
	}

	/** Something was typed. */
	touch(): void {
		this.dirty = true
		this.isPaused = false
		this.timer ??= setTimeout(() => this.save(), SAVE_DELAY_MS)
	}

	/** Nothing more is saved until something is typed again; waits for the save that is on its way. */
	async pause(): Promise<void> {
		this.isPaused = true
		this.stopTimer()
		await this.running
	}

	/** The form was refused: what was typed meanwhile is saved. */
	resume(): void {
		this.isPaused = false
		if (this.dirty) this.timer ??= setTimeout(() => this.save(), SAVE_DELAY_MS)
	}

	/** Forgets the draft on the server. */
	async drop(): Promise<void> {
		this.dirty = false
		await this.pause()
		this.version = 0
		// Also when the page is closed in the same moment: what was discarded does not come back.
		await send('DELETE', { key: this.options.key }, true)
	}

	/** The form was published: the draft is deleted. */
	end(): void {
		this.options.forget()
		this.dirty = false
		this.isPaused = true
		this.stopTimer()
	}

	private save(): void {
		this.stopTimer()
		this.running = this.running.then(() => this.saveNow(false))
	}

	private leave(): void {
		if (this.dirty && !this.isPaused) void this.saveNow(true)
	}

	private async saveNow(leaving: boolean): Promise<void> {
		const values = this.options.read()
		if (!this.dirty || this.isPaused) return
		this.dirty = false
		const { key } = this.options
		const saved = values
			? await send<DraftSaved>('POST', { key, ...values, version: this.version }, leaving)
			: await send<DraftSaved>('DELETE', { key }, leaving)
		if (leaving) return
		if (saved) {
			this.version = saved.version ?? 0
			if (saved.version) this.options.onSaved(saved, this.dirty)
		} else {
			this.dirty = true
			if (!this.isPaused) this.timer ??= setTimeout(() => this.save(), RETRY_DELAY_MS)
		}
	}

	private stopTimer(): void {
		clearTimeout(this.timer)
		this.timer = undefined
	}
}

/** The saver of the form that is about to be sent, once nothing of it is on its way any more. */
export async function pausedSaver(key: string): Promise<DraftSaver | undefined> {
	const saver = open.get(key)
	await saver?.pause()
	return saver
}

/** The server's draft of a form; undefined when it could not be asked. */
export async function fetchDraft(key: string): Promise<Draft | null | undefined> {
	try {
		const response = await fetch(`/forum/drafts?key=${encodeURIComponent(key)}`)
		return response.ok ? ((await response.json()) as { draft: Draft | null }).draft : undefined
	} catch {
		return undefined
	}
}

async function send<Answer>(
	method: 'POST' | 'DELETE',
	fields: Record<string, string | number | boolean>,
	leaving: boolean,
): Promise<Answer | null> {
	const body = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
	// A browser carries at most 64 KB past the end of a page.
	const keepalive = leaving && String(body).length < 60_000
	try {
		const response = await fetch('/forum/drafts', { method, body, keepalive })
		return response.ok ? ((await response.json()) as Answer) : null
	} catch {
		return null
	}
}

/** A draft as this browser stores it. */
export interface LocalDraft extends Draft {
	/** Whether something was typed since the server last took it. */
	unsent: boolean
}

/** The name of a draft in this browser: each member has their own, and visitors share one. */
export function localName(owner: string | null, key: string): string {
	return `draft ${owner ?? ''} ${key}`
}

/** The draft that this browser stores under a name; null when there is none, or what is there is none of ours. */
export function readLocal(name: string): LocalDraft | null {
	return asLocalDraft(readStored(name))
}

/** What was stored, if it is a draft. */
export function asLocalDraft(stored: unknown): LocalDraft | null {
	const { title, description, tags, category, pseudonym, savedAt, madeFrom, version, unsent } = (stored ??
		{}) as Partial<LocalDraft>
	const texts = { title, description, tags, category, savedAt }
	if (!Object.values(texts).every((part) => typeof part === 'string') || Number.isNaN(Date.parse(savedAt ?? '')))
		return null
	return {
		...(texts as Record<keyof typeof texts, string>),
		pseudonym: pseudonym === true,
		...{ madeFrom: Number(madeFrom) || 0, version: Number(version) || 0, unsent: unsent === true },
	}
}

/** Whether nothing but spaces was typed. */
export function isEmpty({ title, description, tags }: AskValues): boolean {
	return `${title}${description}${tags}`.trim() === ''
}

/** Whether two drafts hold the same values. */
export function isSame(one: AskValues, other: AskValues): boolean {
	const isHidden = (values: AskValues) => values.pseudonym === true
	return (
		(['title', 'description', 'tags', 'category'] as const).every((field) => one[field] === other[field]) &&
		isHidden(one) === isHidden(other)
	)
}

/**
 * Whether the draft that came with a page is older than what this browser knows of the server: another tab saved, or somebody
 * threw it away, between the page's answer and its scripts.
 * @param stored what the page was told; null when there was no draft
 */
export function isOutdated(stored: Draft | null, local: LocalDraft | null): boolean {
	return (local?.version ?? 0) > (stored?.version ?? 0)
}

/**
 * Of what this browser and the server have stored, the draft to go on with, and the other one when it says something else.
 * @param local what this browser has stored
 * @param stored what the server has stored; null when it has none, undefined when it was not asked
 */
export function newerOf(
	local: LocalDraft | null,
	stored: Draft | null | undefined,
): { draft: Draft | null; other: Draft | null } {
	if (!stored) {
		// The server took it and has it no more: it was published or thrown away elsewhere.
		const gone = stored === null && local !== null && local.version > 0 && !local.unsent
		return { draft: gone ? null : local, other: null }
	}
	if (!local || isSame(local, stored)) return { draft: stored, other: null }
	// A continuation of what the server has needs no clock to be the newer one.
	if (local.version === stored.version) return { draft: { ...local, version: stored.version }, other: null }
	const wins = local.unsent && Date.parse(local.savedAt) > Date.parse(stored.savedAt)
	if (wins) return { draft: { ...local, version: stored.version }, other: stored }
	return { draft: stored, other: local.unsent ? local : null }
}

/**
 * For a `clientAction`: as {@link submitForm}. The save of the draft that is on its way ends before the form is sent, as it would
 * bring the draft back after the question was published.
 */
export function sendAsked({ request, serverAction }: { request: Request; serverAction: () => Promise<FormRefusal> }) {
	const send = async ({ draft = '' }: FormValues) => {
		const saver = await pausedSaver(draft)
		try {
			const refusal = await serverAction()
			saver?.resume()
			return refusal
		} catch (error) {
			if (!(error instanceof Response)) saver?.resume()
			else if (error.headers.get('Location')?.startsWith('/login') === false) saver?.end()
			throw error
		}
	}
	const failure = 'Something went wrong. Try again!'
	return submitForm({ request, serverAction: send }, { schema: askInput, failure, staysOnPage: true })
}
