/** Usernames that a text mentions. A mention begins a word: an e-mail address holds none. */
const mention = /(?<![\w@./-])@([a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?)/gi
const fence = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))/gm
const span = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g
const indented = /(?:^|\n[ \t]*\n)((?: {4}|\t)[^\n]*\n?)+/g

/** Who a Markdown text mentions with @username: lower-cased, each once, in order; nothing within code counts. */
export function mentionsIn(markdown: string): string[] {
	const prose = markdown.replace(fence, '\n').replace(indented, '\n\n').replace(span, ' ')
	return [...new Set([...prose.matchAll(mention)].map((match) => (match[1] ?? '').toLowerCase()))]
}
