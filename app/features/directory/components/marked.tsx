/** A text in which the beginnings of words that were typed are marked. */
export function Marked({ children, text }: { children: string; text: string }) {
	return splitMatches(children, text).map((part) =>
		part.isMatch ? (
			<mark key={part.from} className="bg-marigold-wash text-ink">
				{part.text}
			</mark>
		) : (
			part.text
		),
	)
}

interface Part {
	text: string
	isMatch: boolean
	/** Where it begins. */
	from: number
}

/** Cuts a text where a typed word begins one of its words, without regard to case. */
export function splitMatches(text: string, typed: string): Part[] {
	const words = typed.split(/[\s,]+/).filter(Boolean)
	if (words.length === 0) return [{ text, isMatch: false, from: 0 }]
	const pattern = words
		.toSorted((one, other) => other.length - one.length)
		.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
		.join('|')
	const parts: Part[] = []
	let end = 0
	for (const match of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(${pattern})`, 'giu'))) {
		if (match.index > end) parts.push({ text: text.slice(end, match.index), isMatch: false, from: end })
		parts.push({ text: match[0], isMatch: true, from: match.index })
		end = match.index + match[0].length
	}
	if (end < text.length) parts.push({ text: text.slice(end), isMatch: false, from: end })
	return parts
}
