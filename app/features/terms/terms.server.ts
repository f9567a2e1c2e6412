import { createHash } from 'node:crypto'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { dropPages, everyPage } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { longWork } from '~/platform/db/scope.server.ts'
import { lazyLines } from '~/platform/http/lists.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { alignSources, type Spelling, termSources } from './sources.server.ts'
import { parseStartSet, type StartTerm } from './start-set.ts'
import {
	findStartSetHash,
	listTermRows,
	listTermsOfWords,
	listUnaligned,
	lockTerms,
	markAligned,
	saveStartSetHash,
	takeTurn,
	writeStartSet,
} from './terms.queries.server.ts'
import type { Term } from './terms.view.ts'
import { type Match, Vocabulary } from './vocabulary.ts'

/* The vocabulary of the site, held in memory by each process, and how words are brought in line with it. */

/** The channel on which processes tell each other that terms were changed. */
const channel = 'devquad_terms'

const lines = lazyLines('app/features/terms/data/terms.txt')
const held = remember<{ vocabulary?: Vocabulary }>('terms', () => ({}))

/** The terms that a new site begins with. */
export function startSet(): StartTerm[] {
	return parseStartSet(lines())
}

/** The terms as this process knows them: the site's once {@link loadTerms} has read them, before that the start set. */
function vocabulary(): Vocabulary {
	held.vocabulary ??= vocabularyOf(startSet())
	return held.vocabulary
}

function vocabularyOf(terms: StartTerm[]): Vocabulary {
	const ids = new Map(terms.map(({ name }, index) => [name, index + 1]))
	return new Vocabulary(
		terms.map(({ name, tag, aliases, parents, description }) => ({
			id: ids.get(name) ?? 0,
			name,
			tag,
			description,
			spellings: aliases,
			parents: parents.flatMap((parent) => ids.get(parent) ?? []),
		})),
	)
}

/** Reads the site's terms into memory. */
export async function loadTerms(): Promise<void> {
	held.vocabulary = new Vocabulary(await listTermRows())
}

/**
 * Brings the site in line with the data file where that has changed, reads the terms, and reads them again whenever another process
 * changes them.
 * @returns what stops listening
 */
export async function startTerms(): Promise<() => Promise<void>> {
	const changed = await longWork(installStartSet)
	if (changed > 0) log.info({ changed }, 'profiles, projects and questions were written as the new terms are called')
	await loadTerms()
	const reload = () => {
		loadTerms().catch((error) => log.warn({ err: error }, 'the terms could not be read again'))
	}
	return openBus(channel, { onMessage: reload, onLost: () => {}, onBack: reload })
}

/** Says that terms were changed: this process reads them again, and the others do. Call it after the commit. */
export async function announceTerms(): Promise<void> {
	await loadTerms()
	try {
		await publish(channel, 'changed')
	} catch (error) {
		log.warn({ err: error }, 'other processes could not be told that terms were changed')
	}
}

/** The term that a text is a spelling of, whatever its case, blanks, dots and dashes. */
export function findTerm(spelling: string): (Term & { description: string }) | undefined {
	return vocabulary().find(spelling)
}

/** Terms that a text may be the beginning of, the best first. */
export function matchTerms(text: string): Match[] {
	return vocabulary().match(text)
}

/** A term that a word may be meant as: one letter of it is wrong, missing or too many, or two are swapped. */
export function similarTerm(word: string): Term | undefined {
	return vocabulary().near(word)
}

/** The terms directly above and below one; none of a word that is no term. */
export function relativesOf(spelling: string): { parents: Term[]; children: Term[] } {
	const term = vocabulary().find(spelling)
	return term ? vocabulary().relatives(term) : { parents: [], children: [] }
}

/** How words are called as terms, in the transaction that writes them; what is no term stays as it is. */
export async function termNames(trx: Executor, words: string[]): Promise<string[]> {
	const meant = await listTermsOfWords(trx, [...new Set(words)])
	return words.map((word) => meant.get(word)?.name ?? word)
}

/**
 * Brings the terms in line with the data file, and what members wrote with the terms; nothing when the file is the one of the
 * last time. An interruption is made good by the next call.
 * @returns how many profiles, projects and questions were changed, together
 */
export async function installStartSet(): Promise<number> {
	const hash = createHash('sha256')
		.update([...lines()].join('\n'))
		.digest('hex')
	if ((await findStartSetHash()) === hash) return 0
	return db()
		.transaction()
		.execute(async (turn) => {
			await takeTurn(turn)
			// Another process of the site may have done it meanwhile.
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
		/** Writes every word of a term as it is called. */
		'align-term': { id: number }
	}
}

/** So many profiles, projects and questions are written again while a moderator waits; more are left to a job. */
const MAX_ALIGNED_AT_ONCE = 2_000

/** As {@link alignTerm}, at once or by a job. @param spelling what was changed */
export async function alignTermSoon(id: number, spelling: Spelling): Promise<void> {
	let changes = 0
	for (const source of termSources()) changes += await source.count(spelling)
	if (changes > MAX_ALIGNED_AT_ONCE) await addJob('align-term', { id })
	else await alignTerm(id)
}

/** Writes every word of a term as the term is called. What an interruption leaves behind is done by {@link alignTerms}. */
export async function alignTerm(id: number): Promise<void> {
	await alignSources(id)
	await markAligned(id)
	await dropPages([everyPage])
}

/** Ends what an interrupted {@link alignTerm} began. Called every hour. */
export async function alignTerms(): Promise<void> {
	for (const id of await listUnaligned()) await alignTerm(id)
}
