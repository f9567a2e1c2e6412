import { z } from 'zod'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import type { NotificationKind, NotificationKindName } from '~/features/notifications/kinds.server.ts'
import {
	announceUnread,
	forgetSubject,
	notifyOfFact,
	visitSubject,
} from '~/features/notifications/notifications.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { publishedWithin } from '~/features/routing/choosing.queries.server.ts'
import { countNewMatches } from '~/features/search/search.server.ts'
import { isId } from '~/lib/checks.ts'
import { cleanLine } from '~/lib/clean.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Feature } from '~/platform/feature.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import type { Merge } from '~/platform/member-data.ts'
import { MAX_CHECKS_PER_RUN, MAX_SAVED_SEARCH_LENGTH, MAX_SAVED_SEARCHES, MAX_SEARCH_NAME } from './following.limits.ts'
import { queriesPath, type SavedSearchView, type SearchSourceKind, savedSearchPath } from './following.view.ts'
import {
	type CheckedSearch,
	countSavedSearches,
	deleteRemovedSearches,
	deleteSearch,
	findSavedId,
	findSavedSearch,
	listDueSearches,
	listSavedSearchRows,
	listSearchesFor,
	listSharedSearches,
	markSearchRemoved,
	restoreSearchRow,
	type SavedSearchRow,
	writeCheck,
	writeSavedSearch,
} from './searches.queries.server.ts'

/* Saved searches. A job checks them once a day, with the member's present permissions. */

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		'saved-search': never
	}
}

export const savedSearchKinds = {
	'saved-search': {
		label: 'New results of my saved searches',
		order: 65,
		by: 'A saved search',
		words: 'has new results:',
	},
} as const satisfies Partial<Record<NotificationKindName, NotificationKind>>

/** The search behind one kind of saved searches. */
export interface SearchSource {
	kind: SearchSourceKind
	/** Normalizes a query; null for an empty one. */
	read: (query: string) => string | null
	/** The address of its results. */
	path: (query: string) => string
	/**
	 * Finds what is new to a member.
	 * @param before the interval to check (ISO 8601), and who matched before
	 * @returns the number of new results, and who matches now
	 */
	findNew: (
		viewer: SignedIn,
		query: string,
		before: { after: string; until: string; seen: readonly number[] },
	) => Promise<{ count: number; seen: number[] }>
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** A kind of search that this feature lets members save. */
		searchSource?: SearchSource
	}
}

const queries: SearchSource = {
	kind: 'queries',
	read: (query) => cleanLine(query).slice(0, 200) || null,
	path: queriesPath,
	findNew: async (viewer, query, { after, until }) => ({
		count: await countNewMatches(query, { among: publishedWithin({ after, until }), reader: viewer.id }),
		seen: [],
	}),
}

const registry = remember('search-sources', () => ({ sources: [queries] }))

/** Registers the sources of all features. */
export function registerSearchSources(features: readonly Feature[]): void {
	registry.sources = [queries, ...features.flatMap(({ searchSource }) => searchSource ?? [])]
}

function sourceOf(kind: SearchSourceKind): SearchSource {
	const source = registry.sources.find((one) => one.kind === kind)
	if (!source) throw new Error(`Nobody searches ${kind}.`)
	return source
}

/** Input for saving a search. */
export const savedSearchInput = z.object({
	kind: z.enum(['queries', 'people'], 'Searches of queries and of people can be saved.'),
	query: z.string('Search for something first.').max(MAX_SAVED_SEARCH_LENGTH, 'This search is too long to save.'),
	name: z
		.string('Give the search a name.')
		.transform(cleanLine)
		.refine((name) => name !== '', 'Give the search a name.')
		.refine((name) => name.length <= MAX_SEARCH_NAME, `A name has at most ${MAX_SEARCH_NAME} characters.`),
})

/** The viewer's saved searches, newest first. @throws NotAllowed for a visitor */
export async function listSavedSearches(viewer: Viewer): Promise<SavedSearchView[]> {
	return (await listSavedSearchRows(requireSignedIn(viewer).id)).map(present)
}

/**
 * Saves a search. Present results are not new. Saving it again only renames it.
 * @param input `kind`, `query` as in its address, `name`
 * @throws NotAllowed for a visitor, Invalid with the error of a field or if there are too many, TooManyRequests
 */
export async function saveSearch(viewer: Viewer, input: Input): Promise<SavedSearchView> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const { kind, query: asked, name } = parseInput(savedSearchInput, input)
	const source = sourceOf(kind)
	const query = source.read(asked)
	if (query === null || query.length > MAX_SAVED_SEARCH_LENGTH) throw new Invalid('Search for something first.')
	const now = new Date().toISOString()
	const { seen } = await source.findNew(member, query, { after: now, until: now, seen: [] })
	const saved = await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, member.id)
			await requireRoom(trx, member, await findSavedId(trx, member.id, kind, query))
			return writeSavedSearch(trx, member.id, { kind, query, name, seen })
		})
	return present({ ...saved, kind, query, name })
}

/** Removes a saved search. Idempotent. @throws NotAllowed for a visitor, TooManyRequests */
export async function removeSearch(viewer: Viewer, id: number): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	if (isId(id)) await removeWithNotification(id, (trx) => markSearchRemoved(trx, member.id, id))
}

/** Deletes saved searches for the questions of a leaving member, as they would find nothing. @param usernames all of theirs */
export async function removeSearchesFor(usernames: readonly string[]): Promise<void> {
	for (const id of await listSearchesFor(usernames)) await removeWithNotification(id, (trx) => deleteSearch(trx, id))
}

/** A step of a merge: searches that the kept account has as well are not moved, so their notifications would lead nowhere. */
export async function forgetSharedSearches(trx: Executor, merge: Merge): Promise<void> {
	for (const id of await listSharedSearches(trx, merge)) await forgetSubject(trx, { type: 'search', id })
}

/** @param remove returns whether it removed the search */
async function removeWithNotification(id: number, remove: (trx: Executor) => Promise<boolean>): Promise<void> {
	const notified = await db()
		.transaction()
		.execute(async (trx) => ((await remove(trx)) ? forgetSubject(trx, { type: 'search', id }) : []))
	await announceUnread(notified)
}

/** Undoes a removal within ten minutes. @throws NotAllowed for a visitor, NotFound after that, Invalid if there are too many, TooManyRequests */
export async function restoreSearch(viewer: Viewer, id: number): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const isBack =
		isId(id) &&
		(await db()
			.transaction()
			.execute(async (trx) => {
				await lockMember(trx, member.id)
				await requireRoom(trx, member, id)
				return restoreSearchRow(trx, member.id, id)
			}))
	if (!isBack) throw new NotFound('It is too late to undo this. Save the search again.')
}

/**
 * Opens the results of a saved search, and marks them as seen.
 * @param isSeen false for a prefetch
 * @returns the address of the results
 * @throws NotAllowed for a visitor, NotFound
 */
export async function openSearch(viewer: Viewer, id: number, isSeen: boolean): Promise<string> {
	const member = requireSignedIn(viewer)
	const search = isId(id) ? await findSavedSearch(member.id, id) : undefined
	if (!search) throw new NotFound('There is no such search. You may have removed it.')
	const source = sourceOf(search.kind)
	if (isSeen) {
		await markOpened(member, search)
		await visitSubject(member, { type: 'search', id })
	}
	return source.path(search.query)
}

/** Records that a member sees the results now. A check that was recorded meanwhile has counted them as new, so it is repeated. */
async function markOpened(member: SignedIn, opened: CheckedSearch): Promise<void> {
	let search: CheckedSearch | undefined = opened
	while (search) {
		const results = await sourceOf(search.kind).findNew(member, search.query, search)
		if (await writeCheck(db(), search, results, true)) return
		search = await findSavedSearch(member.id, search.id)
	}
}

/**
 * Checks the saved searches that are due, longest waiting first, and notifies their members of new results: at most one notification per
 * search and day. Can be interrupted at any point and run again without notifying twice.
 * @returns the number of checked searches
 */
export async function checkSavedSearches(): Promise<number> {
	const due = await listDueSearches(MAX_CHECKS_PER_RUN)
	for (const search of due) {
		const found = await findNew(search)
		const notified = await db()
			.transaction()
			.execute(async (trx) => {
				if (!(await writeCheck(trx, search, found)) || found.count === 0) return []
				const { id, name, member } = search
				const subject = { type: 'search', id, title: name, url: savedSearchPath(id) }
				return notifyOfFact(trx, { kind: 'saved-search', memberIds: [member.id], group: `${id}`, subject, part: null })
			})
		await announceUnread(notified)
	}
	return due.length
}

/** Deletes a batch of removed searches. @returns their number */
export function sweepSearches(): Promise<number> {
	return deleteRemovedSearches(10_000)
}

/** A search that fails counts as empty, so that it does not block the others. */
async function findNew(search: CheckedSearch): Promise<{ count: number; seen: number[] }> {
	try {
		return await sourceOf(search.kind).findNew(search.member, search.query, search)
	} catch (error) {
		log.error({ err: error, search: search.id }, 'a saved search could not be evaluated')
		return { count: 0, seen: search.seen }
	}
}

async function requireRoom(trx: Executor, { id }: SignedIn, except: number) {
	if ((await countSavedSearches(trx, id, except)) >= MAX_SAVED_SEARCHES)
		throw new Invalid(`You already have ${MAX_SAVED_SEARCHES} saved searches. Remove one first.`)
}

function present({ id, kind, query, name, hits }: SavedSearchRow): SavedSearchView {
	return { id, kind, name, url: sourceOf(kind).path(query), newResults: hits }
}
