import { isId } from '~/lib/checks.ts'
import { listPeople } from './mentions.queries.server.ts'

/** Members who may be meant by the beginning of a name, those who take part in the question first; none for what begins no username. */
export async function suggestPeople(
	text: string,
	questionId: number,
	limit: number,
): Promise<{ username: string; name: string }[]> {
	const prefix = text.toLowerCase()
	if (!/^[a-z0-9._-]{0,64}$/.test(prefix)) return []
	return listPeople(prefix, isId(questionId) ? questionId : null, limit)
}
