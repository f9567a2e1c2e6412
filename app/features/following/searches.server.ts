import { z } from 'zod'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import type { NotificationKind, NotificationKindName } from '~/features/notifications/kinds.server.ts'
import { announceUnread, notifyOfFact, visitSubject } from '~/features/notifications/notifications.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { countNewMatches } from '~/features/search/search.server.ts'
import { isId } from '~/lib/checks.ts'
import { cleanLine } from '~/lib/clean.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Feature } from '~/platform/feature.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { MAX_CHECKS_PER_RUN, MAX_SAVED_QUERY, MAX_SAVED_SEARCHES, MAX_SEARCH_NAME } from './following.limits.ts'
import { queriesPath, type SavedSearchView, type SearchKindName, savedSearchPath } from './following.view.ts'
import {
	bringSearchBack,
	type CheckedSearch,
	countSavedSearches,
	deleteRemovedSearches,
	findSavedId,
	findSavedSearch,
	listDueSearches,
	listSavedSearchRows,
	markSearchRemoved,
	type SavedSearchRow,
	writeCheck,
	writeSavedSearch,
} from './searches.queries.server.ts'

/* Searches that members save. A job looks for new results once a day, as the member may see them at that moment. */

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		'saved-search': never
	}
}

export const searchKinds = {
	'saved-search': {
		label: 'New results of my saved searches',
		order: 65,
		by: 'A saved search',
		words: 'has new results:',
	},
} as const satisfies Partial<Record<NotificationKindName, NotificationKind>>

/** Where saved searches of one kind are looked for. */
export interface SearchSource {
	kind: SearchKindName
	/** A search as it is stored; null for one that asks for nothing. */
	read: (query: string) => string | null
	/** The address of its results. */
	path: (query: string) => string
	/**
	 * What is new to a member.
	 * @param before between which times, ISO 8601, and who matched before
	 * @returns how many results are new, and who matched by now
	 */
	findNew: (
		viewer: SignedIn,
		query: string,
		before: { after: string; until: string; seen: readonly number[] },
	) => Promise<{ count: number; seen: number[] }>
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** What else than queries members may save a search of. */
		searchSource?: SearchSource
	}
}

const queries: SearchSource = {
	kind: 'queries',
	read: (query) => cleanLine(query).slice(0, 200) || null,
	path: queriesPath,
	findNew: async (viewer, query, { after, until }) => ({
		count: await countNewMatches(query, { after, until, besides: viewer.id }),
		seen: [],
	}),
}

const registry = remember('search-sources', () => ({ sources: [queries] }))

/** Takes the sources of all features, in place of those that were known before. */
export function registerSources(features: readonly Feature[]): void {
	registry.sources = [queries, ...features.flatMap(({ searchSource }) => searchSource ?? [])]
}

function sourceOf(kind: SearchKindName): SearchSource {
	const source = registry.sources.find((one) => one.kind === kind)
	if (!source) throw new Error(`Nobody searches ${kind}.`)
	return source
}

/** What a form or a program says of a search to save. */
export const savedSearchInput = z.object({
	kind: z.enum(['queries', 'people'], 'Searches of queries and of people can be saved.'),
	query: z.string('Search for something first.').max(MAX_SAVED_QUERY, 'This search is too long to save.'),
	name: z
		.string('Give the search a name.')
		.transform(cleanLine)
		.refine((name) => name !== '', 'Give the search a name.')
		.refine((name) => name.length <= MAX_SEARCH_NAME, `A name has at most ${MAX_SEARCH_NAME} characters.`),
})

/** The viewer's saved searches, the newest first. @throws NotAllowed for a visitor */
export async function listSavedSearches(viewer: Viewer): Promise<SavedSearchView[]> {
	return (await listSavedSearchRows(requireMember(viewer).id)).map(present)
}

/**
 * Saves a search. What matches by now is not new; saved again it only gets another name.
 * @param input `kind`, `query` as an address has it, `name`
 * @throws NotAllowed for a visitor, Invalid with a message for a field or for one too many, TooMany
 */
export async function saveSearch(viewer: Viewer, input: Input): Promise<SavedSearchView> {
	const member = requireMember(viewer)
	await countUse('toggles', member)
	const { kind, query: asked, name } = parseInput(savedSearchInput, input)
	const source = sourceOf(kind)
	const query = source.read(asked)
	if (query === null || query.length > MAX_SAVED_QUERY) throw new Invalid('Search for something first.')
	const now = new Date().toISOString()
	const { seen } = await source.findNew(member, query, { after: now, until: now, seen: [] })
	const id = await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, member.id)
			await requireRoom(trx, member, await findSavedId(trx, member.id, kind, query))
			return writeSavedSearch(trx, member.id, { kind, query, name, seen })
		})
	return present({ id, kind, query, name, hits: 0 })
}

/** Removes a saved search, whether there is one or not. @throws NotAllowed for a visitor, TooMany */
export async function removeSearch(viewer: Viewer, id: number): Promise<void> {
	const member = requireMember(viewer)
	await countUse('toggles', member)
	if (isId(id)) await markSearchRemoved(member.id, id)
}

/** Takes the removal of a search back, for ten minutes. @throws NotAllowed for a visitor, NotFound when it is too late, Invalid for one too many, TooMany */
export async function restoreSearch(viewer: Viewer, id: number): Promise<void> {
	const member = requireMember(viewer)
	await countUse('toggles', member)
	const isBack =
		isId(id) &&
		(await db()
			.transaction()
			.execute(async (trx) => {
				await lockMember(trx, member.id)
				await requireRoom(trx, member, id)
				return bringSearchBack(trx, member.id, id)
			}))
	if (!isBack) throw new NotFound('It is too late to undo this. Save the search again.')
}

/**
 * The viewer opens the results of a saved search: nothing of them is new any more.
 * @param isSeen false where the page is only asked for ahead
 * @returns the address of the results
 * @throws NotAllowed for a visitor, NotFound
 */
export async function openSearch(viewer: Viewer, id: number, isSeen: boolean): Promise<string> {
	const member = requireMember(viewer)
	const search = isId(id) ? await findSavedSearch(member.id, id) : undefined
	if (!search) throw new NotFound('There is no such search. You may have removed it.')
	const source = sourceOf(search.kind)
	if (isSeen) {
		await writeCheck(db(), search, await source.findNew(member, search.query, search), true)
		await visitSubject(member, { type: 'search', id })
	}
	return source.path(search.query)
}

/**
 * Looks at the saved searches that nobody looked at for a day, those that wait longest first, and tells their members what is new: one
 * notification a search and day. Stopped anywhere, it goes on with the next one; run twice, it tells nobody twice.
 * @returns how many were looked at
 */
export async function checkSavedSearches(): Promise<number> {
	const due = await listDueSearches(MAX_CHECKS_PER_RUN)
	for (const search of due) {
		const found = await findNew(search)
		const told = await db()
			.transaction()
			.execute(async (trx) => {
				if (!(await writeCheck(trx, search, found)) || found.count === 0) return []
				const { id, name, member } = search
				const subject = { type: 'search', id, title: name, url: savedSearchPath(id) }
				return notifyOfFact(trx, { kind: 'saved-search', memberIds: [member.id], group: `${id}`, subject, part: null })
			})
		await announceUnread(told)
	}
	return due.length
}

/** Deletes what was removed, some at a time. @returns how many */
export function sweepSearches(): Promise<number> {
	return deleteRemovedSearches(10_000)
}

/** A search that cannot be looked at finds nothing, so that the others get their turn. */
async function findNew(search: CheckedSearch): Promise<{ count: number; seen: number[] }> {
	try {
		return await sourceOf(search.kind).findNew(search.member, search.query, search)
	} catch (error) {
		log.error({ err: error, search: search.id }, 'a saved search could not be looked at')
		return { count: 0, seen: search.seen }
	}
}

async function requireRoom(trx: Parameters<typeof countSavedSearches>[0], { id }: SignedIn, besides: number) {
	if ((await countSavedSearches(trx, id, besides)) >= MAX_SAVED_SEARCHES)
		throw new Invalid(`You already have ${MAX_SAVED_SEARCHES} saved searches. Remove one first.`)
}

function requireMember(viewer: Viewer): SignedIn {
	if (!viewer) throw new NotAllowed('Log in first.')
	return viewer
}

function present({ id, kind, query, name, hits }: SavedSearchRow): SavedSearchView {
	return { id, kind, name, url: sourceOf(kind).path(query), newResults: hits }
}
