import type { Token } from 'markdown-it'
import { atSign } from '~/lib/at-sign.ts'

/** An @ with a name; `@josé` does not mention `jos`. */
const mention = new RegExp(`${atSign.source}([a-z0-9][a-z0-9._-]{0,63})(?![\\p{Script=Latin}\\p{M}])`, 'giu')

/** Members that one text may mention; further mentions are plain text. */
const MAX_MENTIONS = 20

/**
 * The mentioned usernames of a text, in lower case, unique, at most 20. Names in code, addresses and links do not count. The caller
 * checks whether such members exist.
 */
export function mentionedNames(tokens: Token[]): string[] {
	const names = new Set<string>()
	for (const { children } of tokens)
		for (const text of plainTexts(children ?? []))
			for (const [, name = ''] of text.content.matchAll(mention)) names.add(usernameOf(name).toLowerCase())
	return [...names].slice(0, MAX_MENTIONS)
}

/** Turns mentions of these members into links, in place. */
export function linkMentions(tokens: Token[], people: ReadonlySet<string>): void {
	if (people.size === 0) return
	for (const token of tokens) {
		const texts = new Set(plainTexts(token.children ?? []))
		token.children = token.children?.flatMap((child) => (texts.has(child) ? linked(child, people) : [child])) ?? null
	}
}

/** The plain texts of a paragraph, outside of code and links. A tag that is shown as text opens no link. */
function plainTexts(children: Token[]): Token[] {
	let depth = 0
	return children.filter(({ type, content }) => {
		const isMarkup = type === 'html_inline'
		if (type === 'link_open' || (isMarkup && /^<a\b/i.test(content))) depth += 1
		else if (type === 'link_close' || (isMarkup && /^<\/a\b/i.test(content))) depth -= 1
		return type === 'text' && depth <= 0
	})
}

/** The username of a mention: a full stop or hyphen at the end belongs to the sentence. */
function usernameOf(name: string): string {
	return name.replace(/[.-]+$/, '')
}

function linked(token: Token, people: ReadonlySet<string>): Token[] {
	const Made = token.constructor as new (type: string, tag: string, nesting: -1 | 0 | 1) => Token
	const made: Token[] = []
	const add = (type: string, content: string, tag = '', nesting: -1 | 0 | 1 = 0) => {
		const piece = new Made(type, tag, nesting)
		piece.content = content
		piece.level = token.level
		made.push(piece)
		return piece
	}
	let done = 0
	for (const found of token.content.matchAll(mention)) {
		const name = usernameOf(found[1] ?? '')
		if (!people.has(name.toLowerCase())) continue
		add('text', token.content.slice(done, found.index))
		add('link_open', '', 'a', 1).attrSet('href', `/find-dev/${name.toLowerCase()}`)
		add('text', `@${name}`)
		add('link_close', '', 'a', -1)
		done = found.index + 1 + name.length
	}
	if (done === 0) return [token]
	add('text', token.content.slice(done))
	return made
}
