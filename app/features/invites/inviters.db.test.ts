import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { makeInvite, revokeInvite } from './joining/invites.server.ts'
import { discardList, makeList, sendList, stopList } from './lists/lists.server.ts'

useDatabase()

const link = { uses: '1', days: '7', cohort: '' }
const list = { days: '7', addresses: 'new@campus.example' }
/** Who may not write, by why. */
const barred = {} as Record<'suspended' | 'leaving' | 'dismissed', SignedIn>
let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	await saveSection(admin, 'registration', { mode: 'open', domains: '', doModeratorsInvite: 'on', version: '1' })
	barred.suspended = await makeMember('suspended', 'moderator')
	await sql`update users set suspended_until = 'infinity' where username = 'suspended'`.execute(db())
	barred.leaving = await makeMember('leaving', 'admin')
	await sql`update users set leaves_at = now() + interval '9 days' where username = 'leaving'`.execute(db())
	barred.dismissed = await makeMember('dismissed', 'admin')
	await sql`update users set role = 'member' where username = 'dismissed'`.execute(db())
})

const stored = async () => {
	const tables = ['invites', 'invite_lists', 'invited_addresses'].map((name) =>
		sql`select * from ${sql.table(name)} t order by t::text`.execute(db()),
	)
	return (await Promise.all(tables)).map(({ rows }) => rows)
}

test.each<[string, (who: SignedIn) => Promise<unknown>, (keyof typeof barred)[]]>([
	['make a link', (who) => makeInvite(who, link), ['suspended', 'leaving', 'dismissed']],
	['revoke a link', (who) => revokeInvite(who, 1), ['suspended', 'leaving', 'dismissed']],
	['make a list', (who) => makeList(who, list), ['leaving', 'dismissed']],
	['send a list', (who) => sendList(who, 1), ['leaving', 'dismissed']],
	['stop a list', (who) => stopList(who, 2), ['leaving', 'dismissed']],
	['discard a list', (who) => discardList(who, 1), ['leaving', 'dismissed']],
])('a member who may not write cannot %s', async (_what, act, who) => {
	if ((await stored())[0]?.length === 0) {
		await makeInvite(admin, link)
		for (const _ of ['first', 'second']) await makeList(admin, list)
		await sendList(admin, 2)
	}
	const before = await stored()
	for (const name of who) await expect(act(barred[name]), name).rejects.toThrow(NotAllowed)
	expect(await stored()).toEqual(before)
})
