import { startTransition, useEffect, useEffectEvent, useState } from 'react'
import { useFetcher, useLocation } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'

/** A page of a list: rows, and the cursor of the next page, null at the end. */
interface Page<Row> {
	rows: Row[]
	next: string | null
}

/** The data of a loader that {@link useMore} continues. */
export interface MorePage<Row> {
	page: Page<Row>
	/** Where the page begins. */
	cursor: string | null
}

interface Appended<Row> {
	/** Of the list, without its history entry. */
	address: string
	/** The page they were appended to. */
	first: Page<Row>
	pages: MorePage<Row>[]
	/** The appended pages from before the first one was reloaded; each is shown until it has been reloaded, too. */
	before: MorePage<Row>[] | null
}

/** How many pages are reloaded with the first one; a longer list collapses to its first page. */
const MAX_RELOADED = 10

/**
 * Appended pages by reader and history entry, so that going back restores the length of the list and its scroll position. Rows of one
 * reader are not those of another, who may see less.
 */
const kept = new Map<string, MorePage<never>[]>()
const MAX_CACHED_ENTRIES = 30

/**
 * The rows of a list's first page and of pages loaded after it, at the same address. A row may occur twice.
 * @param first the loader's page
 * @param hrefOf the address of the page at a cursor: a page of this route
 */
export function useMore<Row>(first: Page<Row>, hrefOf: (cursor: string) => string) {
	const { key, pathname, search } = useLocation()
	const address = pathname + search
	const entry = `${useRootData().viewer?.username ?? ''} ${key}`
	const { data: more, state, load } = useFetcher<MorePage<Row>>()
	const [known, setList] = useState<Appended<Row>>(() => ({
		address,
		first,
		pages: restore(entry, first.next),
		before: null,
	}))
	const list = known.first === first ? known : renewed(known, address, first)
	if (list !== known) setList(list)
	const { pages, before } = list
	const next = pages.length > 0 ? (pages.at(-1)?.page.next ?? null) : first.next

	useEffect(() => {
		if (!more?.cursor || more.cursor !== next || more === before?.at(-1)) return
		const grown = [...pages, more]
		const isWhole = !before || grown.length >= before.length || more.page.next === null
		setList({ address, first, pages: grown, before: isWhole ? null : before })
		if (isWhole) keep(entry, grown)
	}, [more, address, first, pages, before, entry, next])

	const loadAgain = useEffectEvent(async () => {
		if (next !== null) await load(hrefOf(next))
		// Without a response the list ends where it is. A response is rendered by a transition, too, which came first.
		startTransition(() => setList((now) => (now.pages === pages ? { ...now, before: null } : now)))
	})
	// biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that has come
	useEffect(() => {
		if (before) void loadAgain()
	}, [before, pages])

	return {
		rows: [first, ...shownPages(list).map(({ page }) => page)].flatMap(({ rows }) => rows),
		nextHref: next === null ? null : hrefOf(next),
		loading: state !== 'idle' || before !== null,
		load: () => next !== null && !before && load(hrefOf(next)),
	}
}

function shownPages<Row>({ pages, before }: Appended<Row>): MorePage<Row>[] {
	return [...pages, ...(before ?? []).slice(pages.length)]
}

/** The list with another first page: one that was loaded again, as after a form, keeps its length. */
function renewed<Row>(list: Appended<Row>, address: string, first: Page<Row>): Appended<Row> {
	const before = shownPages(list)
	const keepsLength = address === list.address && before.length > 0 && before.length <= MAX_RELOADED
	return { address, first, pages: [], before: keepsLength ? before : null }
}

/** Removes rows that moved between two pages while they were loaded. */
export function withoutDuplicates<Row>(rows: Row[], keyOf: (row: Row) => number | string): Row[] {
	const seen = new Set<number | string>()
	return rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)))
}

/** The pages appended for this reader to this history entry, unless the list has changed so that they no longer fit its first page. */
function restore(entry: string, next: string | null): MorePage<never>[] {
	const pages = kept.get(entry) ?? []
	return pages[0]?.cursor === next ? pages : []
}

function keep(entry: string, pages: MorePage<unknown>[]): void {
	kept.delete(entry)
	kept.set(entry, pages as MorePage<never>[])
	const [oldest] = kept.keys()
	if (kept.size > MAX_CACHED_ENTRIES && oldest !== undefined) kept.delete(oldest)
}
