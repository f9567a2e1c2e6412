import { sql } from 'kysely'
import { db } from '~/db/db.server.ts'
import { isConnected } from '~/realtime/presence.queries.server.ts'

export interface Figures {
	members: number
	queries: number
	online: number
}

/** How many members and queries the site has, by their counters, and how many listed members are online. */
export async function readFigures(): Promise<Figures> {
	const { rows } = await sql<Figures>`
		select
			(select value::int from counters where name = 'members') as members,
			(select value::int from counters where name = 'queries') as queries,
			(select count(distinct user_id)::int from connections join member_search using (user_id)
				where ${isConnected}) as online`.execute(db())
	return rows[0] ?? { members: 0, queries: 0, online: 0 }
}
