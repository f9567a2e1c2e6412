import { isId } from '~/lib/checks.ts'
import { findUsernames, listPeople } from './mentions.queries.server.ts'

/** A name after an @ that stands at the beginning of a word: `mail@host`, `/@x` and `@@x` name nobody. */
const mention = /(?<![\p{L}\p{N}_@/.+-])@([a-z0-9][a-z0-9._-]{0,63})/giu

/** How many members one text may mention; what follows is plain text. */
const MAX_MENTIONS = 20

/**
 * The usernames that a text mentions, lower-cased, without doubles, at most 20. Names in code and in addresses are none.
 * Whether there is such a member is for the caller to ask.
 */
export function mentionsIn(markdown: string): string[] {
	const names = new Set<string>()
	for (const [, name = ''] of withoutCode(markdown).matchAll(mention)) names.add(usernameOf(name))
	return [...names].slice(0, MAX_MENTIONS)
}

/** The username that was meant: a full stop or hyphen at the end belongs to the sentence. */
function usernameOf(name: string): string {
	return name.toLowerCase().replace(/[.-]+$/, '')
}

// Every step looks at a place of the text a bounded number of times, so that no text is slow.
function withoutCode(markdown: string): string {
	return withoutSpans(withoutBlocks(markdown))
		.replace(/!?\[[^[\]\n]{0,300}\]\([^()\n]{0,500}\)/g, ' ')
		.replace(/\b[a-z][a-z0-9+-]{0,15}:\/\/\S+/gi, ' ')
}

/** Leaves out fenced blocks, and indented ones after an empty line. */
function withoutBlocks(markdown: string): string {
	let fence = ''
	let mayIndent = true
	return markdown
		.split('\n')
		.filter((line) => {
			const [, run = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
			if (fence) {
				if (run.startsWith(fence) && line.trim() === run) fence = ''
				return false
			}
			if (run) fence = run
			const isIndented = mayIndent && /^( {4}|\t)/.test(line)
			mayIndent = isIndented || line.trim() === ''
			return !run && !isIndented
		})
		.join('\n')
}

/** Leaves out what stands between two runs of equally many backticks. */
function withoutSpans(text: string): string {
	const parts = text.split(/(`+)/)
	const last = new Map<string, number>()
	parts.forEach((part, index) => {
		if (index % 2 === 1) last.set(part, index)
	})
	let kept = ''
	for (let index = 0; index < parts.length; index += 1) {
		const part = parts[index] ?? ''
		if (index % 2 === 1 && (last.get(part) ?? 0) > index) index = parts.indexOf(part, index + 1)
		else kept += part
	}
	return kept
}

/** The members that a text mentions, as far as they exist; one statement, and none for a text that mentions nobody. */
export async function peopleIn(markdown: string): Promise<ReadonlySet<string>> {
	const names = mentionsIn(markdown)
	return new Set(names.length > 0 ? await findUsernames(names) : [])
}

/** Members who may be meant by the beginning of a name, those who take part in the query first; none for what begins no username. */
export async function suggestPeople(
	text: string,
	questionId: number,
	limit: number,
): Promise<{ username: string; name: string }[]> {
	const prefix = text.toLowerCase()
	if (!/^[a-z0-9._-]{0,64}$/.test(prefix)) return []
	return listPeople(prefix, isId(questionId) ? questionId : null, limit)
}
