import { presentPeer } from '~/features/conversations/conversations.view.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { type FoundMessages, inboxLimits, type MessageHit } from '../inbox.view.ts'
import {
	collectOwnWords,
	findOwnMessages,
	findStopWords,
	type HitRow,
	type MessageSearch,
	matchDelimiters,
	readOwnWords,
} from './search.queries.server.ts'
import { hasSearchOperators, MAX_TYPING_ERRORS, passageOf, searchWordsOf, similarWords } from './words.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Collects the words of a member's messages, for searches with typos. */
		'learn-own-words': { userId: number }
	}
}

/**
 * The viewer's messages that match a search, newest first: every word by its stem, the last one also as a prefix, ignoring accents. Without
 * results it falls back to similar words.
 * @param before the last id of the previous page
 * @throws NotAllowed, Invalid
 */
export async function searchOwnMessages(
	viewer: Viewer,
	search: string,
	before: unknown = null,
): Promise<FoundMessages> {
	const reader = requireSignedIn(viewer)
	if (before !== null && !isId(before)) throw new Invalid('This page of the search cannot be found.')
	const wanted = await read(search)
	const page = { before, limit: inboxLimits.hits + 1 }
	const rows = wanted ? await findOwnMessages(reader.id, { wanted, ...page }) : []
	if (!wanted || wanted.phrase !== null || rows.length > 0) return found(rows, reader, false)
	const nearly = await withSpellings(reader, wanted)
	return found(nearly ? await findOwnMessages(reader.id, { wanted: nearly, ...page }) : [], reader, nearly !== null)
}

/** Parses a search; null for an empty one. Stop words only count if there are no others. */
async function read(search: string): Promise<MessageSearch | null> {
	const text = search
		.replaceAll('\u0000', ' ')
		.replace(/[“”„‟]/g, '"')
		.slice(0, inboxLimits.search)
		.trim()
	const words = searchWordsOf(text)
	if (words.length === 0) return null
	if (hasSearchOperators(text)) return { phrase: text, words: [] }
	const stop = words.length > 1 ? await findStopWords(words) : new Set()
	const telling = words.filter((word) => !stop.has(word))
	return { phrase: null, words: (telling.length > 0 ? telling : words).map((typed) => ({ typed, instead: [] })) }
}

/** Adds similar words from the reader's own messages; null if there are none. */
async function withSpellings(reader: SignedIn, { words }: MessageSearch): Promise<MessageSearch | null> {
	const lengths = words.map(({ typed }) => typed.length)
	const { words: own, more } = await readOwnWords(reader.id, {
		from: Math.min(...lengths) - MAX_TYPING_ERRORS,
		to: Math.max(...lengths) + MAX_TYPING_ERRORS,
	})
	if (more) await addJob('learn-own-words', { userId: reader.id })
	// A word that occurs in the reader's messages is not a typo.
	const known = new Set(own)
	const spelled = words.map(({ typed }) => ({ typed, instead: known.has(typed) ? [] : similarWords(typed, own) }))
	return spelled.some(({ instead }) => instead.length > 0) ? { phrase: null, words: spelled } : null
}

/** A job that collects the words of a member with many messages. */
export async function collectMessageWords({ userId }: { userId: number }): Promise<void> {
	await db()
		.transaction()
		.execute((trx) => collectOwnWords(trx, userId))
}

function found(rows: HitRow[], reader: SignedIn, nearly: boolean): FoundMessages {
	const shown = rows.slice(0, inboxLimits.hits)
	const last = shown.at(-1)
	return {
		hits: shown.map((row) => hit(row, reader)),
		next: rows.length > inboxLimits.hits && last ? last.id : null,
		nearly: nearly && rows.length > 0,
	}
}

function hit(row: HitRow, reader: SignedIn): MessageHit {
	return {
		id: row.id,
		peer: presentPeer(row),
		sender: row.mine ? reader.username : row.username,
		sentAt: row.sent_at.toISOString(),
		passage: passageOf(row.body, row.marked, matchDelimiters),
	}
}
