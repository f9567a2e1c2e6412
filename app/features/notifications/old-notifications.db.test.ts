import { sql } from 'kysely'
import { RouterContextProvider } from 'react-router'
import { expect, test } from 'vitest'
import { viewerContext } from '~/lib/context.ts'
import { PREFETCH_HEADER } from '~/lib/page-handle.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { countWaiting } from '../../../tests/support/locks.ts'
import { removeOldNotifications } from './notifications.queries.server.ts'
import { loader } from './routes/notification.ts'

useDatabase()

/** Gives a member a notification from this many days ago. */
async function plant(userId: number, days: number): Promise<void> {
	await sql`insert into notification_boxes (user_id, unread) values (${userId}, 1)`.execute(db())
	await sql`insert into notifications (user_id, kind, group_key, actor_ids, title, url, on_site, by_mail, updated_at)
		values (${userId}, 'comment', 'one', '{}', 'Something', '/', true, false, now() - make_interval(days => ${days}))`.execute(
		db(),
	)
}

/** Adds something new to the member's notification. */
async function renew(trx: Executor, userId: number): Promise<void> {
	await sql`select from notification_boxes where user_id = ${userId} for update`.execute(trx)
	await sql`update notifications set updated_at = now() where user_id = ${userId}`.execute(trx)
}

test('a notification that is updated while old ones are removed stays', async () => {
	const [ann, ben] = [await makeMember('ann'), await makeMember('ben')]
	await plant(ann.id, 182)
	await plant(ben.id, 181)
	const { removing } = await db()
		.transaction()
		.execute(async (later) => {
			await renew(later, ben.id)
			const begun = await db()
				.transaction()
				.execute(async (sooner) => {
					await renew(sooner, ann.id)
					const removing = db()
						.transaction()
						.execute((trx) => removeOldNotifications(trx, 180, 1))
					await expect.poll(() => countWaiting()).toBe(1)
					return { removing }
				})
			let hasEnded = false
			const end = () => {
				hasEnded = true
			}
			begun.removing.then(end, end)
			// In a race, what polls would go on after it, and move the timers that the next files of this process fake.
			await expect.poll(async () => hasEnded || (await countWaiting()) === 1).toBe(true)
			return begun
		})
	await removing
	const { rows } = await sql<{ user_id: number }>`
		select user_id from notifications join notification_boxes using (user_id) where unread = 1 order by 1`.execute(db())
	expect(rows.map(({ user_id }) => user_id)).toEqual([ann.id, ben.id])
})

test('a notification that was withdrawn leads to the list, but not a prefetch of it', async () => {
	const context = new RouterContextProvider()
	context.set(viewerContext, await makeMember('cleo'))
	const url = new URL('http://site/notifications/7')
	const open = (headers = {}) =>
		loader({ params: { id: '7' }, context, url, request: new Request(url, { headers }) } as never)
	const { status, headers } = await open()
	expect([status, headers.get('Location')]).toEqual([303, '/notifications'])
	expect(decodeURIComponent(headers.get('Set-Cookie') ?? '')).toContain('There is no such notification.')
	await expect(open({ [PREFETCH_HEADER]: '1' })).rejects.toMatchObject({ init: { status: 404 } })
})
