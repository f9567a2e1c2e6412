import { db } from '~/platform/db/db.server.ts'

/** What a member decided about the chat. */
export interface ChatSettings {
	/** Who may begin a conversation with them. */
	accepts: 'members' | 'verified' | 'nobody'
	/** Whether peers are told that they type. */
	shows_typing: boolean
}

const usual: ChatSettings = { accepts: 'members', shows_typing: true }

/** What a member decided, or what holds until they do. */
export async function readSettings(userId: number): Promise<ChatSettings> {
	const columns = ['accepts', 'shows_typing'] as const
	return (
		(await db().selectFrom('chat_settings').select(columns).where('user_id', '=', userId).executeTakeFirst()) ?? usual
	)
}

/** Changes some of it. */
export async function writeSettings(userId: number, change: Partial<ChatSettings>): Promise<void> {
	await db()
		.insertInto('chat_settings')
		.values({ user_id: userId, ...change })
		.onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
		.execute()
}
