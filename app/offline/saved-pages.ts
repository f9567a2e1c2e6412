import { localTime } from '~/lib/calendar.ts'
import { storageOwner } from '~/lib/private-storage.ts'

/*
 * Copies of pages that were read, for times without a network: what is in the page, as HTML without scripts and forms.
 * They lie in the browser's cache storage, `saved:` those of a visitor and `saved:@username` those of a member, by their path.
 * The service worker answers with the offline page, which looks for a copy (offline-page.js).
 */

export type CopyKind = 'question' | 'conversation'

export interface PageFacts {
	kind: CopyKind
	/** Without a query. */
	path: string
	/** Username of who reads; null for a visitor. */
	member: string | null
}

/** How many copies of a kind are stored; one more takes the place of the oldest. */
const MAX_COPIES: Record<CopyKind, number> = { question: 30, conversation: 10 }
/** Characters of one copy; a longer page is not saved. */
const MAX_COPY_LENGTH = 500_000
/** A copy that was not renewed for so long is neither shown nor stored: what it shows may have been deleted since. */
const MAX_AGE_MS = 7 * 86_400_000
/** A page is saved when nothing has changed in it for so long. */
const QUIET_MS = 1_000

/** In local storage: whether the member wants conversations to be saved in this browser; cleared like all else at a logout. */
const CHOICE = 'saved-conversations'

/** What a copy cannot use, or what would be untrue later. */
const LEFT_OUT =
	'[data-not-saved], form, dialog, [popover], button, input, textarea, select, script, noscript, template, iframe, .icon-btn, .presence, .day, li:has(> .typing)'

/**
 * Saves a copy of what is on the screen, and a new one whenever it has changed.
 * @param element holds what is saved
 * @returns ends it
 */
export function followPage(element: HTMLElement, facts: PageFacts): () => void {
	let timer: ReturnType<typeof setTimeout> | undefined
	const later = () => {
		clearTimeout(timer)
		timer = setTimeout(() => void savePage(element, facts), QUIET_MS)
	}
	const observer = new MutationObserver(later)
	observer.observe(element, { childList: true, subtree: true, characterData: true })
	later()
	return () => {
		observer.disconnect()
		clearTimeout(timer)
	}
}

/**
 * Saves a copy, unless the reader has logged out meanwhile or does not want it. A full or forbidden store is no error: the
 * page is not there without a network, and that is all.
 */
async function savePage(element: HTMLElement, facts: PageFacts): Promise<void> {
	const { kind, path, member } = facts
	try {
		if (storageOwner() !== member || (kind === 'conversation' && !savesConversations())) return
		const html = copyOf(element)
		if (html.length > MAX_COPY_LENGTH) return
		const name = cacheName(member)
		const cache = await caches.open(name)
		await put(cache, path, new Response(html, { headers: headersOf(kind) }))
		// The logout may have come while this was written.
		if (storageOwner() !== member) await caches.delete(name)
		else await trim(cache)
	} catch {
		// Private windows and strict settings forbid the store.
	}
}

function copyOf(element: HTMLElement): string {
	const copy = element.cloneNode(true) as HTMLElement
	for (const each of copy.querySelectorAll(LEFT_OUT)) each.remove()
	// “18 min ago” would be wrong in an hour.
	for (const time of copy.querySelectorAll('time')) time.textContent = localTime(time.dateTime)
	return copy.outerHTML
}

/** Headers carry text of one byte a character. Title and theme are those of the page now. */
function headersOf(kind: CopyKind): Record<string, string> {
	const now = Date.now()
	return {
		'Content-Type': 'text/plain; charset=utf-8',
		'Copy-Kind': kind,
		'Copy-Title': encodeURIComponent(document.title.replace(/^\(\d+\) /, '').toWellFormed()),
		'Copy-Theme': document.documentElement.dataset.theme ?? '',
		'Copy-Saved-At': String(now),
		'Copy-Expires-At': String(now + MAX_AGE_MS),
	}
}

/** Stores an answer; in a full store the older half makes room for it. */
async function put(cache: Cache, path: string, answer: Response): Promise<void> {
	const again = answer.clone()
	try {
		await cache.put(path, answer)
	} catch (error) {
		if (!(error instanceof DOMException && error.name === 'QuotaExceededError')) throw error
		const copies = await listCopies(cache)
		for (const { request } of copies.slice(Math.floor(copies.length / 2))) await cache.delete(request)
		await cache.put(path, again)
	}
}

interface SavedCopy {
	request: Request
	kind: string
	savedAt: number
	expiresAt: number
}

/** The newest first. */
async function listCopies(cache: Cache): Promise<SavedCopy[]> {
	const copies: SavedCopy[] = []
	for (const request of await cache.keys()) {
		const headers = (await cache.match(request))?.headers
		if (!headers) continue
		const [kind, savedAt, expiresAt] = ['Kind', 'Saved-At', 'Expires-At'].map((name) => headers.get(`Copy-${name}`))
		copies.push({ request, kind: kind ?? '', savedAt: Number(savedAt), expiresAt: Number(expiresAt) })
	}
	return copies.sort((one, other) => other.savedAt - one.savedAt)
}

/** Removes what is too old, and of each kind what is too much. */
async function trim(cache: Cache): Promise<void> {
	const counts: Record<string, number> = {}
	for (const { request, kind, expiresAt } of await listCopies(cache)) {
		counts[kind] = (counts[kind] ?? 0) + 1
		if (expiresAt < Date.now() || counts[kind] > (MAX_COPIES[kind as CopyKind] ?? 0)) await cache.delete(request)
	}
}

/** Removes what is too old of what a member read here. Whether or not they open another page that is saved. */
export async function removeOldCopies(member: string): Promise<void> {
	try {
		const name = cacheName(member)
		if (await caches.has(name)) await trim(await caches.open(name))
	} catch {
		// As in savePage.
	}
}

function cacheName(member: string | null): string {
	return member === null ? 'saved:' : `saved:@${member}`
}

/**
 * Whether conversations are saved in this browser: as the member chose here, else in the installed app alone, as that stands
 * on a device of their own.
 */
export function savesConversations(): boolean {
	const chosen = localStorage.getItem(CHOICE)
	return chosen === null ? window.matchMedia('(display-mode: standalone)').matches : chosen === 'on'
}

/** Notes what the member wants. Turned off, the conversations that were saved go at once. */
export async function chooseSavingConversations(saves: boolean, member: string): Promise<void> {
	localStorage.setItem(CHOICE, saves ? 'on' : 'off')
	if (saves) return
	const cache = await caches.open(cacheName(member))
	for (const { request, kind } of await listCopies(cache)) if (kind === 'conversation') await cache.delete(request)
}
