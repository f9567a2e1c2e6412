import type { MarkdownIt, Token } from 'markdown-it'

type MakeToken = new (type: string, tag: string, nesting: -1 | 0 | 1) => Token

/** As in the forum's mentions.ts: a name after an @ that stands at the beginning of a word. */
const mention = /(?<![\p{L}\p{N}_@/.+-])@([a-z0-9][a-z0-9._-]{0,63})/giu

/** Makes links of the names after an @ that `environment.people` holds; never in code, and never within another link. */
export function mentions(parser: MarkdownIt): void {
	parser.core.ruler.push('mentions', (state) => {
		const { people } = state.env as { people?: ReadonlySet<string> }
		if (!people || people.size === 0) return
		for (const token of state.tokens)
			if (token.type === 'inline' && token.children)
				token.children = linked(token.children, people, state.Token as unknown as MakeToken)
	})
}

function linked(children: Token[], people: ReadonlySet<string>, Made: MakeToken): Token[] {
	let depth = 0
	return children.flatMap((token) => {
		if (token.type === 'link_open' || /^<a\b/i.test(token.content)) depth += 1
		else if (token.type === 'link_close' || /^<\/a\b/i.test(token.content)) depth -= 1
		return token.type === 'text' && depth <= 0 ? pieces(token, people, Made) : [token]
	})
}

function pieces(token: Token, people: ReadonlySet<string>, Made: MakeToken): Token[] {
	const made: Token[] = []
	const say = (type: string, content: string, tag = '', nesting: -1 | 0 | 1 = 0) => {
		const piece = new Made(type, tag, nesting)
		piece.content = content
		piece.level = token.level
		made.push(piece)
		return piece
	}
	let told = 0
	for (const found of token.content.matchAll(mention)) {
		const name = (found[1] ?? '').replace(/[.-]+$/, '')
		if (!people.has(name.toLowerCase())) continue
		say('text', token.content.slice(told, found.index))
		say('link_open', '', 'a', 1).attrSet('href', `/find-dev/${name.toLowerCase()}`)
		say('text', `@${name}`)
		say('link_close', '', 'a', -1)
		told = found.index + 1 + name.length
	}
	if (told === 0) return [token]
	say('text', token.content.slice(told))
	return made
}
