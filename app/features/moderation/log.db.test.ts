import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { addLogRow } from './log.queries.server.ts'
import { listLog } from './queue.server.ts'

useDatabase()

test('the log of a name that nobody has is empty, not that of former members', async () => {
	const admin = await makeMember('admin', 'admin')
	const about = { kind: 'profile', targetId: 1, memberId: FORMER_MEMBER, title: '' }
	await addLogRow(db(), { actorId: admin.id, act: 'suspend', ...about })
	expect((await listLog(admin, { member: 'nobdy', cursor: null })).rows).toEqual([])
	expect((await listLog(admin, { member: '', cursor: null })).rows).toHaveLength(1)
})
