import { localTime } from '~/lib/calendar.ts'
import { storageOwner } from '~/lib/private-storage.ts'

/*
 * Copies of visited pages for times without a network: their HTML without scripts and forms. They are in the browser's cache storage by
 * path, `saved:` for a visitor and `saved:@username` for a member. The service worker responds with the offline page, which looks for a
 * copy (offline-page.js).
 */

export type CopyKind = 'question' | 'conversation'

export interface PageFacts {
	kind: CopyKind
	/** Without the query string. */
	path: string
	/** Username of the reader; null for a visitor. */
	member: string | null
}

/** Copies per kind; a new one replaces the oldest. */
const MAX_COPIES: Record<CopyKind, number> = { question: 30, conversation: 10 }
/** Characters of a copy; longer pages are not saved. */
const MAX_COPY_LENGTH = 500_000
/** Copies that were not renewed for this long are deleted: their content may have been deleted since. */
const MAX_AGE_MS = 7 * 86_400_000
/** A page is saved when it has not changed for this long. */
const QUIET_MS = 1_000

/** In local storage: whether the member wants conversations to be saved in this browser. Cleared at a logout. */
const CHOICE = 'saved-conversations'

/** Elements that do not work in a copy, or would be wrong later. */
const LEFT_OUT =
	'[data-not-saved], form, dialog, [popover], button, input, textarea, select, script, noscript, template, iframe, .icon-btn, .presence, .day, li:has(> .typing)'

/** Saves a copy of an element, and a new one after each change. @param element its content is saved @returns a function that stops it */
export function keepPageSaved(element: HTMLElement, facts: PageFacts): () => void {
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

/** Saves a copy, unless the reader has logged out meanwhile or opted out. If storage is full or forbidden, there is no copy. */
async function savePage(element: HTMLElement, facts: PageFacts): Promise<void> {
	const { kind, path, member } = facts
	try {
		if (storageOwner() !== member || (kind === 'conversation' && !savesConversations())) return
		const html = copyOf(element)
		if (html.length > MAX_COPY_LENGTH) return
		const name = cacheName(member)
		const cache = await caches.open(name)
		await put(cache, path, new Response(html, { headers: headersOf(kind) }))
		// The logout may have happened during the write.
		if (storageOwner() !== member) await caches.delete(name)
		else await trim(cache)
	} catch {
		// Private windows and strict settings forbid storage.
	}
}

function copyOf(element: HTMLElement): string {
	const copy = element.cloneNode(true) as HTMLElement
	for (const each of copy.querySelectorAll(LEFT_OUT)) each.remove()
	// Absolute times, as “18 min ago” would be wrong in an hour.
	for (const time of copy.querySelectorAll('time')) time.textContent = localTime(time.dateTime)
	return copy.outerHTML
}

/** Header values must be Latin-1. Title and theme are the page's present ones. */
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

/** Stores a response; if storage is full, deletes the older half first. */
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

/** Newest first. */
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

/** Deletes expired copies, and the oldest of each kind beyond the limit. */
async function trim(cache: Cache): Promise<void> {
	const counts: Record<string, number> = {}
	for (const { request, kind, expiresAt } of await listCopies(cache)) {
		counts[kind] = (counts[kind] ?? 0) + 1
		if (expiresAt < Date.now() || counts[kind] > (MAX_COPIES[kind as CopyKind] ?? 0)) await cache.delete(request)
	}
}

/**
 * Deletes expired copies of a member, even if no further page is saved, and those under a former username, which nothing else would
 * delete before the logout.
 */
export async function removeOldCopies(member: string): Promise<void> {
	try {
		const name = cacheName(member)
		for (const other of await caches.keys())
			if (other.startsWith('saved:@') && other !== name) await caches.delete(other)
		if (await caches.has(name)) await trim(await caches.open(name))
	} catch {
		// As in savePage.
	}
}

function cacheName(member: string | null): string {
	return member === null ? 'saved:' : `saved:@${member}`
}

/**
 * Whether conversations are saved in this browser: the member's choice, or by default only in the installed app, which is usually on a
 * device of their own.
 */
export function savesConversations(): boolean {
	const chosen = localStorage.getItem(CHOICE)
	return chosen === null ? window.matchMedia('(display-mode: standalone)').matches : chosen === 'on'
}

/** Stores the member's choice. Opting out deletes saved conversations at once. */
export async function chooseSavingConversations(saves: boolean, member: string): Promise<void> {
	localStorage.setItem(CHOICE, saves ? 'on' : 'off')
	if (saves) return
	const cache = await caches.open(cacheName(member))
	for (const { request, kind } of await listCopies(cache)) if (kind === 'conversation') await cache.delete(request)
}
