import { sql } from 'kysely'
import { setOptedIn } from '~/features/routing/choosing.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Cast, Target, Write } from './writes.ts'

/* Every way to say whether one may be asked about queries, and that one is nothing for oneself. */

/** Notes that a member was asked about the query. */
const haveAsked = async (_cast: Cast, { query }: Target, who: SignedIn | undefined) =>
	who &&
	sql`insert into question_asks (question_id, user_id, round, tag_ids, names) values (${query}, ${who.id}, 1, '{}', '{}')`.execute(
		db(),
	)

/** What a member who may be asked can do. */
export const routingWrites: Write[] = [
	{
		name: 'letting oneself be asked',
		for: 'members',
		quiet: true,
		form: () => ['/answer', { intent: 'opt-in' }],
		api: () => ['PUT', '/me/asked', { asked: true }],
		prepare: async (_cast, _target, who) => {
			if (!who) return
			await setOptedIn(who, false)
			// Nobody is told of anything by a job while others are refused something.
			await sql`insert into notification_preferences (user_id, kind, site, mail, push)
				values (${who.id}, 'may-know', false, false, false) on conflict do nothing`.execute(db())
		},
	},
	{
		name: 'saying “not me”',
		for: 'members',
		quiet: true,
		form: ({ query }) => ['/answer', { intent: 'decline', query: String(query) }],
		api: ({ query }) => ['PUT', `/me/asked/${query}`, { declined: true }],
		prepare: haveAsked,
	},
]
