import { type CaseRow, findMemberId, findTarget } from '~/features/questions/status/subjects.queries.server.ts'
import { isId } from '~/lib/checks.ts'

export type { CaseRow }

/** What addresses call a target: a kind, and the number of a query or comment or a member's username. */
export interface TargetName {
	kind: string
	name: string
}

/** A target by its name, whatever became of it; undefined when there never was one. */
export async function findNamed({ kind, name }: TargetName): Promise<CaseRow | undefined> {
	if (kind === 'profile') {
		const id = await findMemberId(name.replaceAll('\u0000', '').toLowerCase())
		return id === undefined ? undefined : findTarget('profile', id)
	}
	const id = /^[1-9]\d{0,9}$/.test(name) ? Number(name) : 0
	return (kind === 'query' || kind === 'comment') && isId(id) ? findTarget(kind, id) : undefined
}
