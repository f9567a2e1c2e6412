import { sql } from 'kysely'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { announceSettings } from '~/platform/settings/settings.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { sentMails, useJobTables } from '../../../tests/support/jobs.ts'
import { saveSettings } from '../../../tests/support/login-visits.ts'
import { backUpWhenDue, runRequestedBackup } from './backups.server.ts'
import { mailWhenOverdue } from './overdue.server.ts'

useDatabase()
useJobTables()

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

test('admins are mailed each time another two days have passed without a backup, not of each attempt', async () => {
	await makeMember('admin', 'admin')
	await makeMember('member')
	const mailsAfter = async (hours: number, before: number | null, lasted = 0) => {
		await sql`truncate backups`.execute(db())
		if (before !== null)
			await sql`insert into backups (started_at, ended_at, error) values (${hoursAgo(before)}, now(), 'x')`.execute(
				db(),
			)
		const { rows } = await sql<{
			id: number
		}>`insert into backups (started_at) values (${hoursAgo(lasted)}) returning id`.execute(db())
		const count = (await sentMails()).length
		await mailWhenOverdue(Number(rows[0]?.id), 'No space left', hoursAgo(hours))
		return (await sentMails()).slice(count)
	}
	for (const [hours, before, lasted] of [
		[1, null],
		[47, 1],
		[50, 1],
		[95, 40],
		// The site was down for three days, and a backup has succeeded meanwhile.
		[30, 72],
		// Across the end of the two days: the run after it tells.
		[48.2, 2, 1],
	] as const)
		expect([hours, await mailsAfter(hours, before, lasted)]).toEqual([hours, []])
	for (const [hours, before] of [
		[49, 1.5],
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
	expect(await sentMails()).toHaveLength(4)
})

test('a failed run mails, and one whose process ended, but none that was asked for while backups are off', async () => {
	const admin = await makeMember('operator', 'admin')
	const save = async (isOn: string) => {
		await saveSettings(admin, 'backups', { isOn, 'password-passphrase': 'a lantern at the ford' })
		// As after AUTH_SECRET has changed.
		await sql`update site_settings set texts = jsonb_set(texts, '{passphrase}', '"v1.AAAA"'), version = version + 1`.execute(
			db(),
		)
		await announceSettings()
	}
	const count = (await sentMails('operator@campus.example')).length
	const reasons = async () => {
		const mails = (await sentMails('operator@campus.example')).slice(count)
		return mails.map(({ text }) => /The last attempt failed: ([^,.]*)/.exec(text)?.[1])
	}
	const startAgain = async () => {
		await sql`truncate backups`.execute(db())
		await sql`insert into backups (started_at, ended_at, file) values (${hoursAgo(49)}, now(), 'x')`.execute(db())
	}
	await save('')
	await startAgain()
	await runRequestedBackup()
	expect(await reasons()).toEqual([])
	await save('on')
	await startAgain()
	await expect(backUpWhenDue()).rejects.toThrow('The saved passphrase cannot be read')
	expect(await reasons()).toEqual(['The saved passphrase cannot be read'])
	await startAgain()
	await sql`insert into backups (started_at) values (${hoursAgo(0.5)})`.execute(db())
	await expect(backUpWhenDue()).rejects.toThrow('The saved passphrase cannot be read')
	expect(await reasons()).toEqual(['The saved passphrase cannot be read', 'The process that was making it ended'])
})
