import { useEffect, useState } from 'react'
import type { SimilarView } from '../search.view.ts'

/** Milliseconds without a key after which it is asked. */
const pause = 250
/** A title this short says nothing yet. */
const leastTitle = 4
/** Characters of the description that go along: an address of three-byte characters stays under the 16 KB that servers take. */
const mostDescription = 1_000

/**
 * The queries that are like the one being written, asked for when the typing pauses. The newest keystroke wins: older
 * requests are dropped, and what was found stays until something newer is.
 */
export function useSimilar(title: string, description: string): SimilarView[] {
	const [rows, setRows] = useState<SimilarView[]>([])
	const typed = title.trim()
	const context = description.trim().slice(0, mostDescription).toWellFormed()

	useEffect(() => {
		const abort = new AbortController()
		const timer = setTimeout(async () => {
			const found = typed.length < leastTitle ? [] : await ask(typed, context, abort.signal)
			if (found && !abort.signal.aborted) setRows(found)
		}, pause)
		return () => {
			clearTimeout(timer)
			abort.abort()
		}
	}, [typed, context])

	return rows
}

async function ask(title: string, description: string, signal: AbortSignal): Promise<SimilarView[] | null> {
	try {
		const response = await fetch(`/suggest/similar?${new URLSearchParams({ title, description })}`, { signal })
		if (!response.ok) return null
		return ((await response.json()) as { rows: SimilarView[] }).rows
	} catch {
		// A convenience: without an answer the question is asked as before.
		return null
	}
}
