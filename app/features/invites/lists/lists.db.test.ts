import { sql } from 'kysely'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { getList, makeList, sendList } from './lists.server.ts'

useDatabase()

test('a list whose links have expired cannot be sent', async () => {
	const admin = await makeMember('admin', 'admin')
	const id = await makeList(admin, { days: '1', addresses: 'new@campus.example' })
	await sql`update invite_lists set state = 'stopped', expires_at = now() where id = ${id}`.execute(db())
	await expect(sendList(admin, id)).rejects.toThrow('have expired')
	expect(await getList(admin, id)).toMatchObject({ state: 'stopped' })
})
