import { askInput } from '~/features/questions/questions.schema.ts'
import { type FormRefusal, type FormValues, submitForm } from '~/platform/http/form.ts'
import { readStored } from '~/ui/form-kit.ts'
import type { AskValues, Draft, DraftSaveResult } from '../asking.view.ts'

/** Milliseconds from the first unsaved keystroke until it is saved on the server. */
const SAVE_DELAY_MS = 3_000
/** The same after a failed save. */
const RETRY_DELAY_MS = 10_000

/** What a saver is told, and asks. */
export interface SaverOptions {
	key: string
	/** Username of the member whose draft it is; null for a visitor. */
	owner: string | null
	/** Whether another member is logged in now, whose draft it would become. */
	isForeign: () => boolean
	/** Deletes the draft in this browser. */
	forget: () => void
	/** The present values, and the version that an edit is based on; null if there is nothing to store. */
	read: () => (AskValues & { madeFrom: number }) | null
	/** Called with the response, whether more was typed meanwhile, and whether this form knew of no draft before. */
	onSaved: (saved: DraftSaveResult, unsent: boolean, isFirst: boolean) => void
}

/** A restore of the site raises versions by 10,000, from those of the backup: one that is less behind, but not by few, may be lost there. */
const RESTORED_AHEAD = { least: 5_000, most: 10_000 }

/** Savers of open forms by key, so that submitting a form can wait for its pending save. */
const open = new Map<string, DraftSaver>()

/**
 * Saves the input of one form on the server: debounced, one save at a time, and at once when the page is left. Failed saves are retried,
 * refused ones when the input changes; the browser has the text meanwhile.
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

	/** Starts listening. @returns a function that stops it after a last save */
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

	/** Called when the input changes. */
	touch(): void {
		this.dirty = true
		this.isPaused = false
		this.timer ??= setTimeout(() => this.save(), SAVE_DELAY_MS)
	}

	/** Stops saving until the input changes again, and waits for the pending save. */
	async pause(): Promise<void> {
		this.isPaused = true
		this.stopTimer()
		await this.running
	}

	/** Resumes after the form was rejected, and saves what was typed meanwhile. */
	resume(): void {
		this.isPaused = false
		if (this.dirty) this.timer ??= setTimeout(() => this.save(), SAVE_DELAY_MS)
	}

	/** Deletes the draft on the server. */
	async drop(): Promise<void> {
		this.dirty = false
		await this.pause()
		this.version = 0
		if (this.options.isForeign()) return
		// `keepalive`, so that the draft is deleted even if the page is closed at once.
		await send('DELETE', this.about(), true)
	}

	/** Stops after the form was published, which deletes the draft. */
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
		if (!this.dirty || this.isPaused || this.options.isForeign()) return
		this.dirty = false
		const about = this.about()
		const saved = values
			? await send<DraftSaveResult>('POST', { ...about, ...values, version: this.version }, leaving)
			: await send<DraftSaveResult>('DELETE', about, leaving)
		// The same text would be refused again: only other input is sent.
		if (saved === 'refused') return
		const isFirst = this.version === 0
		// A page that was left may be shown again as it was.
		if (saved) this.version = saved.version ?? 0
		else this.dirty = true
		if (leaving) return
		if (saved?.version) this.options.onSaved(saved, this.dirty, isFirst)
		if (!saved && !this.isPaused) this.timer ??= setTimeout(() => this.save(), RETRY_DELAY_MS)
	}

	/** Which draft it is, and whose: the site refuses it where another member has logged in meanwhile. */
	private about(): { key: string; me: string } {
		return { key: this.options.key, me: this.options.owner ?? '' }
	}

	private stopTimer(): void {
		clearTimeout(this.timer)
		this.timer = undefined
	}
}

/** Pauses the saver of a form that is about to be submitted, and waits for its pending save. */
export async function pauseSaver(key: string): Promise<DraftSaver | undefined> {
	const saver = open.get(key)
	await saver?.pause()
	return saver
}

/** The server's draft of a form; undefined if it could not be loaded. */
export async function fetchDraft(key: string): Promise<Draft | null | undefined> {
	try {
		const response = await fetch(`/forum/drafts?key=${encodeURIComponent(key)}`)
		return response.ok ? ((await response.json()) as { draft: Draft | null }).draft : undefined
	} catch {
		return undefined
	}
}

/** The question is gone, or no draft may have this input: repeating the request cannot help. */
const refusals = [404, 413, 422]

/** @returns 'refused' where a repetition would be, too; null where it may succeed */
async function send<Answer>(
	method: 'POST' | 'DELETE',
	fields: Record<string, string | number | boolean>,
	leaving: boolean,
): Promise<Answer | 'refused' | null> {
	const body = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
	// Browsers limit `keepalive` requests to 64 KB.
	const keepalive = leaving && String(body).length < 60_000
	try {
		const response = await fetch('/forum/drafts', { method, body, keepalive })
		if (refusals.includes(response.status)) return 'refused'
		return response.ok ? ((await response.json()) as Answer) : null
	} catch {
		return null
	}
}

/** A draft in this browser. */
export interface LocalDraft extends Draft {
	/** Whether anything was typed since the last save on the server. */
	unsent: boolean
	/** The idempotency key of a new question that was submitted and whose response has not come. */
	sendKey?: string | undefined
}

/** The storage key of a draft: each member has their own, and visitors share one. */
export function localDraftKey(owner: string | null, key: string): string {
	return `draft ${owner ?? ''} ${key}`
}

/** Reads the draft under a key; null without a valid one. */
export function readLocalDraft(name: string): LocalDraft | null {
	return parseLocalDraft(readStored(name))
}

/** Validates a stored draft. */
export function parseLocalDraft(stored: unknown): LocalDraft | null {
	const { title, description, tags, category, pseudonym, savedAt, madeFrom, version, unsent, sendKey } = (stored ??
		{}) as Partial<LocalDraft>
	const texts = { title, description, tags, category, savedAt }
	if (!Object.values(texts).every((part) => typeof part === 'string') || Number.isNaN(Date.parse(savedAt ?? '')))
		return null
	return {
		...(texts as Record<keyof typeof texts, string>),
		pseudonym: pseudonym === true,
		madeFrom: Number(madeFrom) || 0,
		version: Number(version) || 0,
		unsent: unsent === true,
		sendKey: typeof sendKey === 'string' ? sendKey : undefined,
	}
}

/** Whether the texts consist of white space only; the category does not count. */
export function isEmptyDraft({ title, description, tags }: AskValues): boolean {
	return `${title}${description}${tags}`.trim() === ''
}

/** Whether two drafts have the same values. */
export function isSame(one: AskValues, other: AskValues): boolean {
	const isHidden = (values: AskValues) => values.pseudonym === true
	return (
		(['title', 'description', 'tags', 'category'] as const).every((field) => one[field] === other[field]) &&
		isHidden(one) === isHidden(other)
	)
}

/**
 * Whether the page's draft is older than what this browser knows: another tab saved or deleted it between the page's response and its
 * scripts.
 * @param stored the page's draft; null without one
 */
export function isOutdated(stored: Draft | null, local: LocalDraft | null): boolean {
	return (local?.version ?? 0) > (stored?.version ?? 0)
}

/**
 * Chooses between the browser's and the server's draft, and returns the other one if it differs.
 * @param local the browser's draft
 * @param stored the server's draft; null without one, undefined if it was not loaded
 */
export function newerOf(
	local: LocalDraft | null,
	stored: Draft | null | undefined,
): { draft: Draft | null; other: Draft | null } {
	if (!stored) {
		// The server had it and has deleted it: it was published or discarded elsewhere.
		const gone = stored === null && local !== null && local.version > 0 && !local.unsent
		return { draft: gone ? null : local, other: null }
	}
	if (!local || isSame(local, stored)) return { draft: stored, other: null }
	// A continuation of the server's draft is newer, regardless of the clocks.
	if (local.version === stored.version) return { draft: { ...local, version: stored.version }, other: null }
	const behind = stored.version - local.version
	const isOnlyHere = local.unsent || (behind >= RESTORED_AHEAD.least && behind < RESTORED_AHEAD.most)
	const wins = isOnlyHere && Date.parse(local.savedAt) > Date.parse(stored.savedAt)
	if (wins) return { draft: { ...local, version: stored.version }, other: stored }
	return { draft: stored, other: isOnlyHere ? local : null }
}

/** For a `clientAction`: as {@link submitForm}, but first waits for the pending save, which would restore the draft after publishing. */
export function submitAskForm({
	request,
	serverAction,
}: {
	request: Request
	serverAction: () => Promise<FormRefusal>
}) {
	const send = async ({ draft = '' }: FormValues) => {
		const saver = await pauseSaver(draft)
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
