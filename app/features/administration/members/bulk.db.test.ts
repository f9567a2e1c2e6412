import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import { previewBulk, runBulk } from './bulk.server.ts'
import { exportMembers, listMembers, readFilters } from './members.server.ts'

useDatabase()
useJobTables()

let admin: SignedIn
let ada: SignedIn
const why = 'She knows the place.'
const none = readFilters(new Map())

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	ada = await makeMember('ada')
	// Disables the triggers, as computing search documents would take most of the time.
	await sql`alter table users disable trigger user`.execute(db())
	await sql`
		insert into users (username, name, email)
		select 'many' || i, 'Many', 'many' || i || '@many.example' from generate_series(1, 501) i`.execute(db())
	await sql`alter table users enable trigger user`.execute(db())
})

describe('bulk actions', () => {
	let crowd: SignedIn[]
	const ids = () => crowd.map(({ id }) => id)
	const chosen = (act: string, members = ids()) =>
		new URLSearchParams([['act', act], ...members.map((id) => ['m', `${id}`])])
	const run = (act: string, input: Record<string, string> = {}) =>
		runBulk(admin, act, { ids: [...ids(), admin.id].join(','), why, time: '1 day', ...input })

	beforeAll(async () => {
		crowd = [await makeMember('crowd1'), await makeMember('crowd2', 'moderator'), await makeMember('crowd3')]
		await sql`update users set suspended_until = 'infinity' where username = 'crowd3'`.execute(db())
	})

	test.each<[string, number, string[]]>([
		['suspend', 2, ['This is your own account.: admin', 'Already suspended.: crowd3']],
		['lift', 1, ['Not suspended.: crowd2 crowd1', 'For an admin, this can only be decided on their own page.: admin']],
		['log-out', 3, ['This is your own account.: admin']],
		['confirm', 4, []],
		[
			'moderator',
			1,
			[
				'Suspended: end the suspension first.: crowd3',
				'Already a moderator.: crowd2',
				'This is your own account.: admin',
			],
		],
		['member', 1, ['Already an ordinary member.: crowd3 crowd1', 'This is your own account.: admin']],
		['cohort', 4, []],
	])('%s is done for %i, and says who is left out and why', async (act, count, leftOut) => {
		const preview = await previewBulk(admin, chosen(act, [...ids(), admin.id]))
		expect(preview.members).toHaveLength(count)
		expect(preview.leftOut.map((one) => `${one.why}: ${one.usernames.join(' ')}`).sort()).toEqual([...leftOut].sort())
	})

	test('select everything that a filter matches, up to a limit; an empty result is an error', async () => {
		const all = (q: string) => new URLSearchParams({ act: 'confirm', all: '1', q })
		expect((await previewBulk(admin, all('crowd'))).members).toHaveLength(3)
		await expect(previewBulk(admin, all('many'))).rejects.toThrow('More than 500 members')
		await expect(previewBulk(admin, chosen('confirm', []))).rejects.toThrow('Tick some members first')
		await expect(previewBulk(admin, chosen('delete'))).rejects.toThrow('Choose what to do')
		await expect(previewBulk(ada, all('crowd'))).rejects.toThrow(NotAllowed)
		await expect(runBulk(ada, 'confirm', { ids: `${ada.id}`, why })).rejects.toThrow(NotAllowed)
		await expect(run('suspend', { why: ' ' })).rejects.toThrow(/Say why/)
		await expect(runBulk(admin, 'suspend', { ids: `${ada.id}`, why })).rejects.toThrow('Choose for how long.')
	})

	test('each has its own log entry; an error for one does not stop the others', async () => {
		expect(await run('suspend')).toEqual({
			act: 'suspend',
			done: 2,
			leftOut: [
				{ why: 'Someone else has already decided this. Reload the page.', usernames: ['crowd3'] },
				{ why: 'You cannot suspend this member.', usernames: ['admin'] },
			],
		})
		expect((await run('lift')).done).toBe(3)
		expect((await run('moderator')).done).toBe(2)
		expect((await run('log-out')).done).toBe(3)
		expect((await run('confirm')).done).toBe(4)
		expect((await run('cohort', { cohort: ' CSE 2027 ' })).done).toBe(4)
		expect((await run('cohort', { cohort: 'CSE 2027' })).leftOut.map(({ why }) => why)).toEqual([
			'This is their cohort already.',
		])
		expect((await listMembers(admin, { ...none, cohort: 'cse 2027' }, null)).rows).toHaveLength(4)
		await expect(run('cohort', { cohort: 'x'.repeat(61) })).rejects.toThrow('at most 60 characters')
		const { rows } = await listLog(admin, { member: 'crowd1', cursor: null })
		expect(rows.map((row) => [row.act, row.note, row.why])).toEqual([
			['set the cohort', 'CSE 2027', why],
			['confirm the address', '', why],
			['log out everywhere', '', why],
			['appoint', 'as moderator', why],
			['lift', '', why],
			['suspend', 'for 1 day', why],
		])
		const lines = (await Array.fromAsync(await exportMembers(admin, none, ids()))).join('').trim().split('\r\n')
		expect(lines.slice(1).map((line) => line.split('"')[1])).toEqual(['crowd3', 'crowd2', 'crowd1'])
		expect((await listLog(admin, { member: 'admin', cursor: null })).rows[0]?.note).toBe('3 chosen')
	})
})
