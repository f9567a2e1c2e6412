import { sql } from 'kysely'
import { setOptedIn } from '~/features/routing/choosing.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Cast, Target, Write } from './writes.ts'

/* The opt-in and “not me”, as writes for the permission tests. */

/** Records that a member was asked about the question. */
const haveAsked = async (_cast: Cast, { query }: Target, who: SignedIn | undefined) =>
	who &&
	sql`insert into question_asks (question_id, user_id, round, tag_ids, names) values (${query}, ${who.id}, 1, '{}', '{}')`.execute(
		db(),
	)

/** Writes of members about being asked. */
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
			// Turns notifications off, so that their job writes nothing during an observed attempt.
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
