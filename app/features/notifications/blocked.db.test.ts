import { sql } from 'kysely'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { countUnread, listNotifications, notifyOfFact } from './notifications.server.ts'

useDatabase()

test('a comment that is written while its author is being blocked notifies nobody of it', async () => {
	const [asker, loud, calm] = [await makeMember('asker'), await makeMember('loud'), await makeMember('calm')]
	const question = await makeQuestion(asker)
	await makeComment(calm, question.id)
	await queuedBehind<unknown>(
		(trx) => sql`select from notification_boxes where user_id = ${asker.id} for update`.execute(trx),
		[() => setBlocked(asker, 'loud', true), () => makeComment(loud, question.id)],
	)
	const { rows } = await listNotifications(asker)
	expect(rows.map(({ actor, people }) => [actor?.username, people])).toEqual([['calm', 1]])
	expect(await countUnread(asker)).toBe(1)
})

test('a member who blocks “Former member” is still notified of what nobody did', async () => {
	const member = await makeMember('quiet')
	await setBlocked(member, 'former-member', true)
	const subject = { type: 'saved-search', id: 7, title: 'React', url: '/following/search/7' }
	const fact = { kind: 'saved-search', memberIds: [member.id], group: '7', subject, part: null } as const
	expect(
		await db()
			.transaction()
			.execute((trx) => notifyOfFact(trx, fact)),
	).toEqual([member.id])
})
