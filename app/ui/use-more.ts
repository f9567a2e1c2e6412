import { useEffect, useState } from 'react'
import { useFetcher, useLocation } from 'react-router'

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
	/** The page they were appended to; another first page invalidates them. */
	first: Page<Row>
	pages: MorePage<Row>[]
}

/** Appended pages by history entry, so that going back restores the length of the list and its scroll position. */
const kept = new Map<string, MorePage<never>[]>()
const cachedEntries = 30

/**
 * The rows of a list's first page and of pages loaded after it, at the same address. A row may occur twice.
 * @param first the loader's page
 * @param hrefOf the address of the page at a cursor: a page of this route
 */
export function useMore<Row>(first: Page<Row>, hrefOf: (cursor: string) => string) {
	const { key } = useLocation()
	const fetcher = useFetcher<MorePage<Row>>()
	const [appended, setAppended] = useState<Appended<Row>>(() => ({ first, pages: restore(key, first.next) }))
	const pages = appended.first === first ? appended.pages : []
	const next = pages.length > 0 ? (pages.at(-1)?.page.next ?? null) : first.next

	useEffect(() => {
		const more = fetcher.data
		if (!more?.cursor || more.cursor !== next) return
		const grown = [...pages, more]
		setAppended({ first, pages: grown })
		keep(key, grown)
	}, [fetcher.data, first, key, next, pages])

	return {
		rows: [...first.rows, ...pages.flatMap(({ page }) => page.rows)],
		nextHref: next === null ? null : hrefOf(next),
		loading: fetcher.state !== 'idle',
		load: () => next !== null && fetcher.load(hrefOf(next)),
	}
}

/** Removes rows that moved between two pages while they were loaded. */
export function withoutDoubles<Row>(rows: Row[], keyOf: (row: Row) => number | string): Row[] {
	const seen = new Set<number | string>()
	return rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)))
}

/** The pages appended to this history entry, unless the list has changed so that they no longer fit its first page. */
function restore(key: string, next: string | null): MorePage<never>[] {
	const pages = kept.get(key) ?? []
	return pages[0]?.cursor === next ? pages : []
}

function keep(key: string, pages: MorePage<unknown>[]): void {
	kept.delete(key)
	kept.set(key, pages as MorePage<never>[])
	const [oldest] = kept.keys()
	if (kept.size > cachedEntries && oldest !== undefined) kept.delete(oldest)
}
