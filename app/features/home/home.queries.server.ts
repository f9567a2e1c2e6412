import { sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { isConnected } from '~/platform/realtime/presence.queries.server.ts'

export interface Figures {
	members: number
	questions: number
	online: number
}

/** The numbers of members and questions, from counters, and how many listed members this viewer sees online. */
export async function readHomeFigures(viewer: Viewer): Promise<Figures> {
	const { rows } = await sql<Figures>`
		select
			(select value::int from counters where name = 'members') as members,
			(select value::int from counters where name = 'questions') as questions,
			(select count(distinct user_id)::int from connections join member_search using (user_id)
				where ${isConnected} and not ${isBlocking(sql.ref('user_id'), viewer?.id ?? null)}) as online`.execute(db())
	return rows[0] ?? { members: 0, questions: 0, online: 0 }
}
