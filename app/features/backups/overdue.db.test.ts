import { sql } from 'kysely'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { sentMails, useJobTables } from '../../../tests/support/jobs.ts'
import { mailWhenOverdue } from './overdue.server.ts'

useDatabase()
useJobTables()

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

test('admins are mailed each time another two days have passed without a backup, not of each attempt', async () => {
	await makeMember('admin', 'admin')
	await makeMember('member')
	const mailsAfter = async (hours: number, before: number | null) => {
		await sql`truncate backups`.execute(db())
		if (before !== null)
			await sql`insert into backups (started_at, ended_at, error) values (${hoursAgo(before)}, now(), 'x')`.execute(
				db(),
			)
		const { rows } = await sql<{ id: number }>`insert into backups default values returning id`.execute(db())
		const count = (await sentMails()).length
		await mailWhenOverdue(Number(rows[0]?.id), 'No space left', hoursAgo(hours))
		return (await sentMails()).slice(count)
	}
	for (const [hours, before] of [
		[1, null],
		[47, 1],
		[50, 1],
		[95, 40],
		// The site was down for three days, and a backup has succeeded meanwhile.
		[30, 72],
	] as const)
		expect([hours, await mailsAfter(hours, before)]).toEqual([hours, []])
	for (const [hours, before] of [
		[49, 2],
		[97, 2],
		[120, null],
	] as const) {
		const [mail, ...others] = await mailsAfter(hours, before)
		expect(others).toEqual([])
		expect(mail).toMatchObject({ to: 'admin@campus.example', subject: 'Backups of DevQuad fail' })
		expect(mail?.text).toMatch(/no backup of DevQuad since \d.* 20\d\d\. The last attempt failed: No space left\./)
		expect(mail?.text).toContain('/admin/backups')
	}
	await mailWhenOverdue(1, 'No space left', null)
	expect(await sentMails()).toHaveLength(3)
})
