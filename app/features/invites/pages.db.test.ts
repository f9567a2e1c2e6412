import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getInvites, revokeInvite } from './joining/invites.server.ts'
import { getLists } from './lists/lists.server.ts'

useDatabase()

let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	await sql`
		insert into invites (token_hash, max_uses, expires_at, created_by)
		select 'hash' || i, 1, now() + interval '1 year', ${admin.id} from generate_series(1, 120) i`.execute(db())
	await sql`insert into invite_lists (state, expires_at) select 'stopped', now() from generate_series(1, 45)`.execute(
		db(),
	)
	await sql`update invite_lists set report = jsonb_build_object('valid', 0)`.execute(db())
})

test.each([
	['links', getInvites, 120],
	['lists', getLists, 45],
])('all %s can be reached, the newest first', async (_what, get, count) => {
	const seen: number[] = []
	let cursor: string | null = null
	do {
		const page: Awaited<ReturnType<typeof get>> = await get(admin, cursor)
		seen.push(...page.rows.map(({ id }) => id))
		cursor = page.next
	} while (cursor)
	expect(seen).toEqual(Array.from({ length: count }, (_, index) => count - index))
	for (const wrong of ['x', 'WyJhIl0', 'Wy0xXQ']) await expect(get(admin, wrong)).rejects.toThrow(Invalid)
})

test('the oldest link, on the last page, can be revoked', async () => {
	await revokeInvite(admin, 1)
	const { next } = await getInvites(admin, (await getInvites(admin)).next)
	expect((await getInvites(admin, next)).rows.at(-1)).toMatchObject({ id: 1, state: 'revoked' })
})
