import { seededRandom } from '~/features/demo/people/people.ts'

/** A question of the forum that is searched for. */
export interface KnownQuestion {
	id: number
	title: string
	/** Markdown. */
	description: string
}

/** A known-item search: one that a reader might type who knows that the question exists. */
export interface KnownItem {
	id: number
	search: string
}

export type Random = () => number
export type Rule<Question = KnownQuestion> = (question: Question, random: Random) => string | null

/** The rule for each kind of search; null for a question that lacks what the rule needs. */
const rules: Record<string, Rule> = {
	'four content words of the body': ({ description }, random) =>
		join(pick(contentWords(prose(description)), 4, random)),
	'title with one typo': ({ title }, random) => mistype(title, random),
	'three words of the title, one with a typo': ({ title }, random) => {
		const words = join(pick(contentWords(title), 3, random))
		return words && mistype(words, random)
	},
	'code token and a word of the title': ({ title, description }, random) => {
		const [token] = pick(codeTokens(description), 1, random) ?? []
		const [word] = pick(contentWords(title), 1, random) ?? []
		return token && word ? `${token} ${word}` : null
	},
	'quoted phrase of the body': ({ description }, random) => {
		const [phrase] = pick(phrases(prose(description)), 1, random) ?? []
		return phrase ? `"${phrase}"` : null
	},
	'title pasted whole': ({ title }) => title,
	'beginning of the last of three words of the title': ({ title }, random) => {
		const words = pick(contentWords(title), 3, random)
		const last = words?.at(-1)
		return words && last && last.length >= 6 ? [...words.slice(0, -1), last.slice(0, -2)].join(' ') : null
	},
}

/**
 * Searches of every kind for randomly sampled questions; deterministic for a seed.
 * @param count maximum number of each kind
 */
export function makeKnownItems(
	questions: KnownQuestion[],
	count: number,
	seed: number,
): [kind: string, items: KnownItem[]][] {
	return makeItems(questions, rules, count, seed)
}

/** Like {@link makeKnownItems}, with the given rules. */
export function makeItems<Question extends KnownQuestion>(
	questions: Question[],
	rules: Record<string, Rule<Question>>,
	count: number,
	seed: number,
): [kind: string, items: KnownItem[]][] {
	return Object.entries(rules).map(([kind, rule], place) => {
		const random = seededRandom(seed + place + 1)
		const items: KnownItem[] = []
		for (const question of shuffled(questions, random)) {
			const search = rule(question, random)
			if (search) items.push({ id: question.id, search })
			if (items.length >= count) break
		}
		return [kind, items]
	})
}

const stopWords = new Set(
	`about above after again against also although always and another any are because been before being below between both but
	can cannot could did does doing done down during each even ever every few for from further get gets getting got had has have
	having here how however into its itself just like made make makes many may maybe might more most much must need never nor
	not now off once one only onto other our out over own same several shall should since some something such sure take than
	that the their them then there these they thing things this those though three through thus too two under until upon use
	used uses using very want wants was way well were what when where whether which while who whom whose why will with within
	without would yes yet you your`.split(/\s+/),
)

export function contentWords(text: string): string[] {
	const words = text.match(/(?<![\p{L}\p{N}._-])\p{L}{4,20}(?![\p{L}\p{N}_'’-]|\.\p{L})/gu) ?? []
	return [...new Set(words.filter((word) => !stopWords.has(word.toLowerCase())))]
}

/** The text without code, links and Markdown syntax. */
export function prose(markdown: string): string {
	return markdown
		.replace(
			/```[\s\S]*?(```|$)|^(?: {4}|\t).*$|`[^`\n]*`|<[^>\n]*>|https?:\S+|\[[^\]\n]*\](\([^)\n]*\)|\[[^\]\n]*\]|:.*$)/gm,
			'\n',
		)
		.replace(/[*_#>]+/g, ' ')
}

/** The code of a text. */
export function codeOf(markdown: string): string {
	return (markdown.match(/```[\s\S]*?```|^(?: {4}|\t).*$|`[^`\n]+`/gm) ?? []).join('\n')
}

/** Identifiers in code as a reader would search for them: the last segment of a path, otherwise the whole name. */
function codeTokens(markdown: string): string[] {
	const named =
		codeOf(markdown).match(/\b[a-z]+(?:\.\w+)*\.[A-Za-z]\w{3,}\b|\b[A-Za-z][a-z]+[A-Z]\w+\b|\b0x[0-9a-f]{4,}\b/g) ?? []
	return [...new Set(named.map((name) => name.slice(name.lastIndexOf('.') + 1)))].filter(
		(name) => /[A-Z]|^0x/.test(name) && name.length <= 40,
	)
}

function phrases(text: string): string[] {
	return text.match(/(?<![\p{L}\p{N}'’.-])\p{L}{3,}(?: \p{L}{3,}){3}(?![\p{L}\p{N}'’-])/gu) ?? []
}

/** Words that may get a typo: long enough to stay recognizable. */
export function typoWords(text: string): RegExpExecArray[] {
	return [...text.matchAll(/(?<![\p{L}\p{N}'’._-])[a-z]{5,}(?![\p{L}\p{N}'’_-]|\.\p{L})/giu)].filter(
		([word]) => !stopWords.has(word.toLowerCase()),
	)
}

/** The text with one letter missing, added, wrong or swapped in one of its longer words, but not its first letter. */
function mistype(text: string, random: Random): string | null {
	const [found] = pick(typoWords(text), 1, random) ?? []
	if (!found) return null
	const [word] = found
	const place = 1 + Math.floor(random() * (word.length - 2))
	const letter = String.fromCharCode(97 + Math.floor(random() * 26))
	const [before, after] = [word.slice(0, place), word.slice(place)]
	const swapped = `${before}${after[1] ?? ''}${after[0]}${after.slice(2)}`
	const typos = [before + after.slice(1), before + letter + after, before + letter + after.slice(1), swapped]
	const wrong = typos[Math.floor(random() * typos.length)] ?? word
	if (wrong === word) return null
	return text.slice(0, found.index) + wrong + text.slice(found.index + word.length)
}

export function pick<Item>(items: Item[], count: number, random: Random): Item[] | null {
	return items.length < count ? null : shuffled(items, random).slice(0, count)
}

function shuffled<Item>(items: Item[], random: Random): Item[] {
	return items
		.map((item) => ({ item, key: random() }))
		.toSorted((one, other) => one.key - other.key)
		.map(({ item }) => item)
}

function join(words: string[] | null): string | null {
	return words === null ? null : words.join(' ')
}
