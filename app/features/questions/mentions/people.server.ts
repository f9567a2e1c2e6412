import { isId } from '~/lib/checks.ts'
import { findUsernames } from '../discussion/discussion.queries.server.ts'
import { mentionsIn } from './mentions.ts'
import { listPeople } from './people.queries.server.ts'

/** The members that a text mentions, as far as they exist; one statement, and none for a text that mentions nobody. */
export async function peopleIn(markdown: string): Promise<ReadonlySet<string>> {
	const names = mentionsIn(markdown)
	return new Set(names.length > 0 ? await findUsernames(names) : [])
}

/** Members who may be meant by the beginning of a name, those who take part in the query first; none for what begins no username. */
export async function suggestPeople(
	text: string,
	queryId: number,
	limit: number,
): Promise<{ username: string; name: string }[]> {
	const prefix = text.toLowerCase()
	if (!/^[a-z0-9._-]{0,64}$/.test(prefix)) return []
	return listPeople(prefix, isId(queryId) ? queryId : null, limit)
}
