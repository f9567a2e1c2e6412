import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { logOperations } from './log.api.server.ts'
import { exportLog, listActs, listLog, readLogFilters } from './log.server.ts'

useDatabase()

let admin: SignedIn
let ada: SignedIn

/** Adds an entry of this moment. */
async function logged(act: string, at: string, { about = ada, why = '' } = {}): Promise<void> {
	const subject = { kind: 'profile', targetId: about.id, memberId: about.id, title: about.name }
	await addLogRow(db(), { actorId: admin.id, act, ...subject, why })
	await sql`update moderation_log set at = ${at}::timestamptz where id = (select max(id) from moderation_log)`.execute(
		db(),
	)
}

const none = { member: '', act: '', from: '', to: '' }
const listed = async (filters: object) =>
	(await listLog(admin, { ...none, ...filters, cursor: null })).rows.map(({ act, at }) => `${act} ${at.slice(0, 10)}`)

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	ada = await makeMember('ada')
	const ben = await makeMember('ben')
	await logged('hide', '2026-03-01T23:59:59Z', { why: '=1+1' })
	await logged('suspend', '2026-03-02T00:00:00Z')
	await logged('hide', '2026-03-03T23:59:59Z', { about: ben })
	await logged('lift', '2026-03-04T00:00:00Z')
})

test.each<[object, string[]]>([
	[{ act: 'hide' }, ['hide 2026-03-03', 'hide 2026-03-01']],
	[{ act: 'hide', member: 'ada' }, ['hide 2026-03-01']],
	[{ from: '2026-03-02', to: '2026-03-03' }, ['hide 2026-03-03', 'suspend 2026-03-02']],
	[{ from: '2026-03-04' }, ['lift 2026-03-04']],
	[{ to: '2026-03-01', member: 'admin' }, ['hide 2026-03-01']],
	[{ member: 'nobody' }, []],
	[{ act: 'unheard of' }, []],
])('of %j it lists %j', async (filters, wanted) => {
	expect(await listed(filters)).toEqual(wanted)
})

test('what is no day of the calendar restricts nothing on the page, and is refused by the API', () => {
	const days = ['2026-02-29', '2026-13-01', 'yesterday', '0001-01-01', '', '2028-02-29']
	expect(days.map((day) => readLogFilters(new Map([['from', day]])).from)).toEqual(['', '', '', '', '', '2028-02-29'])
	const from = logOperations[0]?.query.from
	expect([...days, '1850-01-01', '2150-01-01'].filter((day) => from?.safeParse(day).success)).toEqual(['2028-02-29'])
})

test('the export has what the filters match, without formulas, and is in the log itself', async () => {
	const lines = await Array.fromAsync(await exportLog(admin, { ...none, act: 'hide', to: '2026-03-01' }))
	expect(lines.join('')).toBe(
		'"time","moderator","action","details","kind","title","member","reason"\r\n' +
			`"2026-03-01T23:59:59Z","admin","hide","","profile","${ada.name}","ada","'=1+1"\r\n`,
	)
	const { rows } = await listLog(admin, { ...none, cursor: null })
	expect(rows[0]).toMatchObject({ act: 'export the log', note: 'act: hide, to: 2026-03-01' })
	const acts = ['export the log', 'hide', 'lift', 'suspend']
	for (const chosen of ['', 'hide']) expect(await listActs(admin, chosen)).toEqual(acts)
	// It may have been deleted with the last entry of its name.
	expect(await listActs(admin, 'warn')).toEqual([...acts, 'warn'])
})

test('only admins read it', async () => {
	const former = { ...ada, role: 'admin' as const }
	for (const viewer of [null, ada, { ...ada, role: 'moderator' as const }]) {
		await expect(listLog(viewer, { ...none, cursor: null })).rejects.toThrow(NotAllowed)
		await expect(listActs(viewer, '')).rejects.toThrow(NotAllowed)
		await expect(exportLog(viewer, none)).rejects.toThrow(NotAllowed)
	}
	await expect(exportLog(former, none)).rejects.toThrow(NotAllowed)
})
