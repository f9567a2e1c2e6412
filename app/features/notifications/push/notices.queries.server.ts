import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import {
	isAway,
	openTags,
	type PushJob,
	type Subscription,
	subscriptionColumns,
	wantsPush,
} from './subscriptions.queries.server.ts'

export interface NoticePushRow extends Subscription {
	kind: string
	act: string
	reason: string
	people: number
	name: string | null
	title: string
	url: string
	open: string[]
}

/** A notice as a browser of its member is told; undefined when there is no reason any more to tell it there. */
export async function findNoticePush({ subscription, about }: PushJob): Promise<NoticePushRow | undefined> {
	const { rows } = await sql<NoticePushRow>`
		select ${subscriptionColumns}, n.kind, n.act, n.reason, cardinality(n.actor_ids) as people, users.name, n.title, n.url,
			${openTags} as open
		from push_subscriptions s join notifications n on n.user_id = s.user_id
		left join users on users.id = n.actor_ids[1]
		where s.id = ${subscription} and n.id = ${about} and n.read_at is null and n.seen_at is null and ${isAway}
			and ${wantsPush(sql.ref('n.kind'))}
			and (n.kind = 'moderation' or not exists (select from muted_threads
				where muted_threads.user_id = s.user_id and muted_threads.question_id = n.question_id))`.execute(db())
	return rows[0]
}
