import { dateStyle } from './dates.ts'

/** At most two initials: from the first and the last word of a name, without additions such as “(she/her)”. */
export function initials(name: string): string {
	const all = name.trim().split(/\s+/)
	const proper = all.filter((word) => !/^\p{P}/u.test(word))
	const words = proper.length > 0 ? proper : all
	const first = [...(words[0] ?? '')][0] ?? '?'
	const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : ''
	return (first + last).toUpperCase()
}

/** “1 comment”, “2 comments”, “1,284 developers”. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
	return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** A whole number with commas between thousands, in India between lakhs; the same on server and browser. */
export function formatNumber(count: number): string {
	return String(count).replace(dateStyle.locale === 'en-IN' ? /\B(?=(\d\d)*\d{3}$)/g : /\B(?=(\d{3})+$)/g, ',')
}

/** A whole number in at most five characters: “9999”, “-12k”, “345k”, “1.2m”. What is left out is cut off, not rounded up. */
export function shortNumber(count: number): string {
	const size = Math.abs(count)
	if (size < 10_000) return String(count)
	const [unit, letter] =
		size < 1_000_000 ? [1_000, 'k'] : size < 1_000_000_000 ? [1_000_000, 'm'] : [1_000_000_000, 'b']
	const tenths = Math.trunc(count / (unit / 10))
	return `${Math.abs(tenths) < 100 ? tenths / 10 : Math.trunc(tenths / 10)}${letter}`
}

/** “1st”, “2nd”, “3rd”, “4th”, for 1 to 19. */
export function ordinal(count: number): string {
	return `${count}${['th', 'st', 'nd', 'rd'][count] ?? 'th'}`
}

/** `text` with its first letter in upper case, as a sentence begins. */
export function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1)
}

let characters: Intl.Segmenter | undefined

/**
 * The beginning of a text, at most `length` UTF-16 units, which ends between two characters as readers see them: an emoji, a flag or a
 * letter with its marks, all of several units, is never divided.
 */
export function startOf(text: string, length: number): string {
	if (text.length <= length) return text
	// Between two letters of ASCII there is always one, which needs no segmenter.
	if (/^[ -~]{2}$/.test(text.slice(length - 1, length + 1))) return text.slice(0, length).toWellFormed()
	characters ??= new Intl.Segmenter()
	// A long text would take milliseconds.
	const end = characters.segment(text.slice(0, length + 100)).containing(length)?.index
	return text.slice(0, end || length).toWellFormed()
}

/** `text`, or as many of its words as fit into `most` characters, with an ellipsis; a longer single word is cut. */
export function truncateWords(text: string, most: number): string {
	let end = 0
	for (let point = 0; point < most && end < text.length; point += 1)
		end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
	if (end >= text.length) return text
	const start = startOf(text, end)
	// Where the next character is a space, the last word is complete.
	const whole = /\s/.test(text[end] ?? '') ? start : start.replace(/\s\S*$/, '')
	return `${whole.trimEnd()}…`
}

/**
 * What was typed into a form while its text was being sent.
 * @param isEdit whether the sent part remains, as the next save replaces it
 * @returns '' for nothing
 */
export function typedSince(sent: string, typed: string, isEdit: boolean): string {
	const [before = '', now = ''] = [sent, typed].map((text) => text.replace(/\r\n?/g, '\n'))
	if (now === before) return ''
	return !isEdit && now.startsWith(before) ? now.slice(before.length).trimStart() : now
}

/** A letter that is written from right to left. */
export const rightToLeft =
	/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}\p{Script=Hanifi_Rohingya}]/u
/** An isolated part, or a character that changes the direction of what follows it. */
const directionMarks = /\u2068([^\u2066-\u2069]*)\u2069|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/**
 * A member's text for a line of ours that is not HTML, such as the subject of a mail: isolated, so that neither its direction
 * reorders the words around it, nor theirs its own.
 */
export function isolated(text: string): string {
	// A part that ends its own isolation, as in a sentence of ours, changes nothing outside.
	const plain = text.replace(directionMarks, (mark, part?: string) => (part === undefined ? '' : mark))
	return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}
