import { sql } from 'kysely'
import type { Selection } from '~/features/search/scope.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'

/** A question as the switcher shows it. */
export interface TitleRow {
	id: number
	title: string
	username: string
	category_slug: string
	category_title: string
}

/** The columns of {@link TitleRow}, for a search of questions. */
export const titleSelection: Selection<TitleRow> = {
	columns: sql<TitleRow>`q.id, q.title, u.username, c.slug as category_slug, c.title as category_title`,
	joins: sql`join users u on u.id = q.author_id join categories c on c.id = q.category_id`,
}

export interface PeerNameRow {
	username: string
	name: string
	image: string | null
}

/** The latest conversations of a member, whose peers are searched. */
const MAX_LOOKED_AT = 500

/** A member's conversations with peers whose name or username has a word for each prefix in the text; latest message first. */
export async function listConversationsWith(userId: number, text: string, limit: number): Promise<PeerNameRow[]> {
	const { rows } = await sql<PeerNameRow>`
		select p.username, p.name, p.image
		from (select conversation_id, last_message_id from conversation_members
			where user_id = ${userId} and last_message_id is not null
			order by last_message_id desc limit ${MAX_LOOKED_AT}) mine
		join conversations c on c.id = mine.conversation_id
		join users p on p.id = case when c.lower_id = ${userId} then c.higher_id else c.lower_id end
		where not exists (
			select from string_to_table(search_key(${text}), ' ') as typed
			where not (' ' || search_key(p.name || ' ' || p.username)) like '% ' || replace(typed, '_', '\_') || '%')
		and search_key(${text}) <> ''
		order by mine.last_message_id desc limit ${limit}`.execute(db())
	return rows
}
