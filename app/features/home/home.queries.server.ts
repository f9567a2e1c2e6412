import { sql } from 'kysely'
import { isArriving } from '~/features/directory/directory.queries.server.ts'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { isConnected } from '~/platform/realtime/presence.queries.server.ts'

export interface Figures {
	members: number
	questions: number
	online: number
}

/**
 * The numbers of members and questions, from counters, how many listed members this viewer sees online, and whether the viewer is about
 * to be online, so that the number agrees with their own presence dot.
 */
export async function readHomeFigures(viewer: Viewer): Promise<Figures & { arriving: boolean }> {
	const { rows } = await sql<Figures & { arriving: boolean }>`
		select
			(select value::int from counters where name = 'members') as members,
			(select value::int from counters where name = 'questions') as questions,
			${viewer ? isArriving(viewer.id) : sql.lit(false)} as arriving,
			(select count(distinct user_id)::int from connections join member_search using (user_id)
				where ${isConnected} and not ${isBlocking(sql.ref('user_id'), viewer?.id ?? null)}) as online`.execute(db())
	return rows[0] ?? { members: 0, questions: 0, online: 0, arriving: false }
}
