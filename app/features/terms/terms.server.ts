import { createHash } from 'node:crypto'
import { LatestRead } from '~/lib/latest-read.ts'
import { lazyLines } from '~/lib/lazy-lines.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { longWork } from '~/platform/db/scope.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { alignSources, type Spelling, termSources } from './sources.server.ts'
import { parseStartSet, type StartTerm } from './start-set.ts'
import {
	findStartSetHash,
	listTermRows,
	listTermsOfWords,
	listUnaligned,
	lockStartSet,
	lockTerms,
	markAligned,
	saveStartSetHash,
	type TermRow,
	writeStartSet,
} from './terms.queries.server.ts'
import type { Term } from './terms.view.ts'
import { type Match, Vocabulary } from './vocabulary.ts'

/* The vocabulary of the site, which each process keeps in memory, and respelling words by it. */

/** The channel of the bus that announces changes of terms. */
const channel = 'devquad_terms'

const lines = lazyLines('app/features/terms/data/terms.txt')

const state = remember('terms', () => ({
	/** What {@link loadTerms} read last, until the vocabulary is built from it. */
	rows: undefined as TermRow[] | undefined,
	vocabulary: undefined as Vocabulary | undefined,
	reads: new LatestRead(),
}))

/** The terms of a new site. */
export function startSet(): StartTerm[] {
	return parseStartSet(lines())
}

/**
 * This process's terms: the start set until {@link loadTerms} has read the site's. Built at the first lookup: that takes 20 to 30
 * ms, and neither a start nor each of several changes needs them at once.
 */
function vocabulary(): Vocabulary {
	state.vocabulary ??= new Vocabulary(state.rows ?? rowsOf(startSet()))
	state.rows = undefined
	return state.vocabulary
}

function rowsOf(terms: StartTerm[]): TermRow[] {
	const ids = new Map(terms.map(({ name }, index) => [name, index + 1]))
	return terms.map(({ name, tag, aliases, parents, description }) => ({
		id: ids.get(name) ?? 0,
		name,
		tag,
		description,
		spellings: aliases,
		parents: parents.flatMap((parent) => ids.get(parent) ?? []),
	}))
}

/** Loads the site's terms into memory. */
export function loadTerms(): Promise<void> {
	return state.reads.run(listTermRows, (rows) => {
		state.rows = rows
		state.vocabulary = undefined
	})
}

/**
 * Updates the site if the data file has changed, loads the terms, and subscribes to changes by other processes.
 * @returns a function that unsubscribes
 */
export async function startTerms(): Promise<() => Promise<void>> {
	const changed = await longWork(installStartSet)
	if (changed > 0) log.info({ changed }, 'profiles, projects and questions were updated to the new terms')
	await loadTerms()
	const reload = () => {
		loadTerms().catch((error) => log.warn({ err: error }, 'changed terms could not be read'))
	}
	return openBus(channel, { onMessage: reload, onLost: () => {}, onBack: reload })
}

/** Reloads the terms in this process and all others. Call it after the commit. */
export async function announceTerms(): Promise<void> {
	await loadTerms()
	try {
		await publish(channel, 'changed')
	} catch (error) {
		log.warn({ err: error }, 'other processes could not be notified of changed terms')
	}
}

/** The term of a spelling, ignoring case, blanks, dots and dashes. */
export function findTerm(spelling: string): (Term & { description: string }) | undefined {
	return vocabulary().find(spelling)
}

/** Terms that a text may be the beginning of, best first. */
export function matchTerms(text: string): Match[] {
	return vocabulary().match(text)
}

/** The term that a misspelled word may stand for, with one wrong, missing, additional or swapped letter. */
export function similarTerm(word: string): Term | undefined {
	return vocabulary().near(word)
}

/** The direct parents and children of a term; none for an unknown one. */
export function relativesOf(spelling: string): { parents: Term[]; children: Term[] } {
	const term = vocabulary().find(spelling)
	return term ? vocabulary().relatives(term) : { parents: [], children: [] }
}

/** The canonical names of words, in the transaction that writes them; words that are not terms stay as they are. */
export async function termNames(trx: Executor, words: string[]): Promise<string[]> {
	const meant = await listTermsOfWords(trx, [...new Set(words)])
	return words.map((word) => meant.get(word)?.name ?? word)
}

/**
 * Updates the terms from the data file and respells words; does nothing if the file is unchanged. The next call continues after an
 * interruption.
 * @returns the number of changed profiles, projects and questions
 */
export async function installStartSet(): Promise<number> {
	const hash = createHash('sha256')
		.update([...lines()].join('\n'))
		.digest('hex')
	if ((await findStartSetHash()) === hash) return 0
	return db()
		.transaction()
		.execute(async (turn) => {
			await lockStartSet(turn)
			// Another process may have done it meanwhile.
			if ((await findStartSetHash()) === hash) return 0
			await db()
				.transaction()
				.execute(async (trx) => {
					await lockTerms(trx)
					await writeStartSet(trx, startSet())
				})
			const changed = await alignSources(null)
			await saveStartSetHash(hash)
			return changed
		})
}

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Respells all words of a term. */
		'align-term': { id: number }
	}
}

/** The number of profiles, projects and questions that are changed while a moderator waits; more are left to a job. */
const MAX_ALIGNED_AT_ONCE = 2_000

/** Like {@link alignTerm}, at once or by a job. @param spelling what was changed */
export async function alignTermSoon(id: number, spelling: Spelling): Promise<void> {
	let changes = 0
	for (const source of termSources()) changes += await source.count(spelling)
	if (changes > MAX_ALIGNED_AT_ONCE) await addJob('align-term', { id })
	else await alignTerm(id)
}

/** Respells all words of a term as its name. {@link alignTerms} continues after an interruption. */
export async function alignTerm(id: number): Promise<void> {
	await alignSources(id)
	await markAligned(id)
	await invalidatePages([ALL_PAGES])
}

/** Completes interrupted calls of {@link alignTerm}. Runs every hour. @throws the last error, if one failed; the others are completed */
export async function alignTerms(): Promise<void> {
	const run = new BatchRun('the words of a term could not be respelled')
	await run.each(await listUnaligned(), Number, alignTerm)
	run.finish()
}
