import { findUsernames } from './discussion.queries.server.ts'
import { mentionsIn } from './mentions.ts'

/** The members that a text mentions, as far as they exist; one statement, and none for a text that mentions nobody. */
export async function peopleIn(markdown: string): Promise<ReadonlySet<string>> {
	const names = mentionsIn(markdown)
	return new Set(names.length > 0 ? await findUsernames(names) : [])
}
