import { lazyLines } from '~/lib/lazy-lines.server.ts'

export interface University {
	name: string
	/** In English, such as `India`. */
	country: string
}

interface Entry extends University {
	/** The normalized words of the name ({@link plain}), each preceded by a space. */
	words: string
	/** The initials of its words, such as `iitb`, and without the small words, such as `mit`. */
	initials: string
}

interface Known {
	entries: Entry[]
	domains: Map<string, Entry>
}

const lines = lazyLines('app/features/campus/data/universities.tsv')
const refused = lazyLines('app/features/campus/data/refused-mail-domains.txt')
const smallWords = new Set([
	'of',
	'the',
	'and',
	'for',
	'in',
	'at',
	'de',
	'la',
	'du',
	'des',
	'di',
	'da',
	'do',
	'del',
	'e',
	'y',
])
let known: Known | undefined

/**
 * Universities whose name, words or initials start with a text; ignores case and accents. Scans the whole list, about 2 ms.
 * @param limit at most 20
 */
export function suggestUniversities(text: string, limit: number): University[] {
	const typed = plain(text.slice(0, 200))
	if (typed === '') return []
	const parts = typed.split(' ')
	return universities()
		.entries.flatMap((entry) => {
			const rank = rankOf(entry, typed, parts)
			return rank === null ? [] : [{ entry, rank }]
		})
		.sort((a, b) => a.rank - b.rank || a.entry.words.length - b.entry.words.length || compare(a.entry, b.entry))
		.slice(0, Math.min(limit, 20))
		.map(({ entry: { name, country } }) => ({ name, country }))
}

/**
 * The university that owns this mail domain, or else the nearest parent domain.
 * @param domain the part after the @, in any case
 * @returns null for an unknown domain, and for one that {@link isUntrustedDomain}
 */
export function universityOfDomain(domain: string): University | null {
	if (isUntrustedDomain(domain)) return null
	const { domains } = universities()
	const entry = chain(domain)
		.map((part) => domains.get(part))
		.find((found) => found !== undefined)
	return entry ? { name: entry.name, country: entry.country } : null
}

/** Whether this domain, or a parent domain, also gives addresses to people who never studied there. */
export function isUntrustedDomain(domain: string): boolean {
	return chain(domain).some((part) => refused().has(part))
}

/** A domain and its parent domains, nearest first, without the top-level domain. */
function chain(domain: string): string[] {
	const labels = domain.toLowerCase().split('.')
	return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
}

/** 0: the name starts with the text; 1: its initials do; 2: each typed word starts a word of the name or is its initials. */
function rankOf({ words, initials }: Entry, typed: string, parts: string[]): number | null {
	if (words.startsWith(` ${typed}`)) return 0
	if (typed.length > 1 && initials.split(' ').includes(typed)) return 1
	const isThere = (part: string) => words.includes(` ${part}`) || (part.length > 1 && startsOne(initials, part))
	return parts.every(isThere) ? 2 : null
}

function startsOne(initials: string, part: string): boolean {
	return initials.startsWith(part) || initials.includes(` ${part}`)
}

function compare(a: Entry, b: Entry): number {
	return a.words < b.words ? -1 : 1
}

function universities(): Known {
	if (known) return known
	const domains = new Map<string, Entry>()
	const entries = [...lines()].map((line) => {
		const [name = '', country = '', owned = ''] = line.split('\t')
		const words = plain(name).split(' ')
		const letters = (list: string[]) => list.map((word) => word[0]).join('')
		const entry = {
			name,
			country,
			words: ` ${words.join(' ')}`,
			initials: `${letters(words.filter((word) => !smallWords.has(word)))} ${letters(words)}`,
		}
		for (const domain of owned.split(' ')) if (domain !== '' && !domains.has(domain)) domains.set(domain, entry)
		return entry
	})
	known = { entries, domains }
	return known
}

/** Letters that Unicode normalization does not decompose. */
const whole: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe' }

/** Lower-case letters and digits without accents, words separated by one space. */
function plain(text: string): string {
	return text
		.normalize('NFD')
		.toLowerCase()
		.replace(/\p{M}/gu, '')
		.replace(/[łøđıßæœ]/g, (letter) => whole[letter] ?? letter)
		.replace(/['’.]/g, '')
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()
}
