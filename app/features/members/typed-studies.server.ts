const numerals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']
const romans = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii']
const units = ['year', 'years', 'yr', 'yrs', 'sem', 'semester', 'sems', 'semesters']
/**
 * Names of years. The short ones are also names of people: they count in capitals, and beside a branch or “year”. Those of engineers, “SE” or
 * “BE”, have other meanings.
 */
const yearNames = new Map([
	['FY', 1],
	['SY', 2],
	['TY', 3],
	['freshman', 1],
	['freshers', 1],
	['sophomore', 2],
])
/** The year in which most programmes here end. */
const FINAL_YEAR = 4
/** Words that accompany a year of graduation. */
const passingWords = new Set('batch class grad graduates graduating graduation out pass passing passout'.split(' '))

/** The years that words of a search name. */
export interface Studies {
	/** Years of study. */
	years: number[]
	/** For each word, whether it names one of them. */
	isYear: boolean[]
	/** For each word, the year of graduation that it names. */
	passing: (number | null)[]
}

/**
 * Extracts the years from a search: “3rd year”, “third year”, “III year”, “year 3”, “3rd”, “final year”, “5th sem”,
 * “year 3 sem 5”, “TY”. A year of graduation stays a word, without its context: “batch of 2028”, “’28”.
 * @param isBranch whether a word in lower case names a branch
 */
export function extractYears(
	words: readonly { text: string; isQuoted: boolean }[],
	isBranch: (word: string) => boolean,
): Studies {
	const isYear = words.map(() => false)
	const years = new Set<number>()
	const small = words.map(({ text, isQuoted }) => (isQuoted ? '' : text.toLowerCase()))
	for (const [index, text] of small.entries()) {
		if (text === '') continue
		const hasUnit = /^y(ea)?rs?$/.test(small[index + 1] ?? '')
		const isShort = hasUnit || [index - 1, index + 1].some((at) => isBranch(small[at] ?? ''))
		const named = yearNames.get(isShort ? text.toUpperCase() : (words[index]?.text ?? '')) ?? yearNames.get(text)
		if (named !== undefined) {
			years.add(named)
			for (const at of hasUnit ? [index, index + 1] : [index]) isYear[at] = true
			continue
		}
		const places = /^\d$/.test(text) ? [index - 1, index + 1] : [index + 1, index - 1]
		const beside = places.find((at) => units.includes(small[at] ?? '') && !isYear[at])
		const number = numberOf(text, beside === index + 1)
		if (number === null || (beside === undefined && !/^[1-8](st|nd|rd|th)$/.test(text))) continue
		const isBeforeFinal = text === 'final' && small[index - 1] === 'pre'
		years.add(small[beside ?? -1]?.startsWith('sem') ? Math.ceil(number / 2) : isBeforeFinal ? number - 1 : number)
		for (const at of [index, beside, isBeforeFinal ? index - 1 : undefined]) if (at !== undefined) isYear[at] = true
	}
	const passing = words.map(({ text, isQuoted }) => (!isQuoted && /^(?:19|20)\d\d$/.test(text) ? Number(text) : null))
	if (passing.some((year) => year !== null))
		for (const [index, text] of small.entries()) if (passingWords.has(text)) isYear[index] = true
	return { years: [...years], isYear, passing }
}

/** The number that a word stands for. Some count only beside a unit, as “third”, “iii” and “3” are common words. */
function numberOf(text: string, isBeforeUnit: boolean): number | null {
	const digits = /^([1-8])(?:st|nd|rd|th)?$/.exec(text)?.[1]
	if (digits) return Number(digits)
	const place = numerals.includes(text) ? numerals.indexOf(text) : isBeforeUnit ? romans.indexOf(text) : -1
	if (place >= 0) return place + 1
	return text === 'final' && isBeforeUnit ? FINAL_YEAR : null
}
