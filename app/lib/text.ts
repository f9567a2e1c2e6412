import { dateStyle } from './dates.ts'

/** At most two initials: from the first and the last word of a name. */
export function initials(name: string): string {
	const words = name.trim().split(/\s+/)
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

/** “1st”, “2nd”, “3rd”, “4th”, for 1 to 19. */
export function ordinal(count: number): string {
	return `${count}${['th', 'st', 'nd', 'rd'][count] ?? 'th'}`
}

/** `text`, or as many of its words as fit into `most` characters, with an ellipsis; a longer single word is cut. */
export function truncateWords(text: string, most: number): string {
	const characters = [...text]
	if (characters.length <= most) return text
	const start = characters.slice(0, most).join('')
	// Where the next character is a space, the last word is complete.
	const whole = /\s/.test(characters[most] ?? '') ? start : start.replace(/\s\S*$/, '')
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
