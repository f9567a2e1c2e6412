import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { FIGURE_WEEKS, KEPT_WEEKS } from '~/features/administration/figures/figures.view.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { daysBefore, mondayOf } from '~/platform/settings/region.server.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { recordRead, startCounting, storeReads } from './reads.server.ts'
import { exportFigures, readUsage, recordStorage } from './usage.server.ts'

useDatabase()

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const admin = { id: 1, role: 'admin' } as SignedIn
let serial = 0
let author: SignedIn

const read = (url: string, options = {}) => recordRead({ url, userAgent: browser, isPrefetch: false, ...options })
const thisWeek = async () => (await readUsage(admin)).weeks.at(-1)

beforeEach(async () => {
	serial += 1
	author = await makeMember(`author${serial}`)
	await storeReads()
	await sql`truncate weekly_reads, weekly_question_reads, weekly_storage`.execute(db())
})

test.each([
	['/', 'home'],
	['/?page=2', 'home'],
	['/_.data', 'home'],
	['/forum', 'list'],
	['/forum.data?_routes=features%2Fquestion-lists', 'list'],
	['/forum/tags', 'list'],
	['/forum/category/python?sort=votes', 'list'],
	['/forum/tag/c%2B%2B', 'list'],
	['/forum/python/ada/7', 'question'],
	['/forum/python/ada/7/how-to-read.data', 'question'],
	['/search?q=rust', 'search'],
	['/find-dev', 'community'],
	['/find-dev/ada', 'profile'],
	['/my-profile/ada', 'profile'],
])('%s counts as a read of: %s', async (url, kind) => {
	read(url)
	await storeReads()
	expect((await thisWeek())?.reads).toEqual({ [kind]: 1 })
})

test.each([
	['the frame alone', '/forum.data?_routes=root', {}],
	['a page that is asked for ahead', '/forum', { isPrefetch: true }],
	[
		'a search engine',
		'/forum',
		{ userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
	],
	['a program without a name', '/forum', { userAgent: undefined }],
	['a form', '/forum/ask', {}],
	['the edits of a question', '/forum/history/comment/7', {}],
	['messages', '/messages/ada', {}],
	['administration', '/admin/figures', {}],
	['a file', '/assets/entry.js', {}],
])('%s does not count as a read', async (_, url, options) => {
	read(url, options)
	await storeReads()
	expect((await thisWeek())?.reads).toEqual({})
})

test('adds up views, also of concurrent processes, and ranks questions', async () => {
	const [often, seldom, hidden] = [await makeQuestion(author), await makeQuestion(author), await makeQuestion(author)]
	await sql`update questions set status = 'hidden' where id = ${hidden.id}`.execute(db())
	for (let time = 0; time < 3; time += 1) read(`/forum/others/x/${often.id}/title`)
	await storeReads()
	read(`/forum/others/x/${often.id}`)
	const first = storeReads()
	read(`/forum/others/x/${seldom.id}`)
	read(`/forum/others/x/${hidden.id}`)
	read('/forum/others/x/999999999')
	await Promise.all([first, storeReads()])
	expect((await thisWeek())?.reads).toEqual({ question: 7 })
	expect((await readUsage(admin)).mostRead).toMatchObject([
		{ id: often.id, reads: 4, url: expect.stringMatching(new RegExp(`^/forum/[^/]+/${author.username}/${often.id}`)) },
		{ id: seldom.id, reads: 1 },
	])
})

test('keeps counts that could not be stored, and stores them at the end', async () => {
	const stop = await startCounting()
	read('/forum')
	await sql`alter table weekly_reads rename to weekly_reads_away`.execute(db())
	await expect(storeReads()).rejects.toThrow('weekly_reads')
	await sql`alter table weekly_reads_away rename to weekly_reads`.execute(db())
	read('/forum')
	await stop()
	expect((await thisWeek())?.reads).toEqual({ list: 2 })
})

test('records sizes by week, and deletes old weeks', async () => {
	const path = `profiles/${author.username}/${'a'.repeat(32)}`
	await sql`
		insert into pictures (path, user_id, kind, width, height, bytes, colour)
		values (${path}, ${author.id}, 'profile', 10, 10, 4321, '#ffffff')`.execute(db())
	const old = daysBefore(mondayOf(), 7 * KEPT_WEEKS)
	const lastYear = daysBefore(mondayOf(), 7 * 60)
	const oldest = daysBefore(mondayOf(), 7 * (FIGURE_WEEKS - 1))
	for (const week of [old, lastYear, oldest])
		await sql`insert into weekly_reads (week, kind, reads) values (${week}::date, 'home', 5)`.execute(db())
	await recordStorage()
	await recordStorage()
	const { weeks, tables } = await readUsage(admin)
	expect(weeks).toHaveLength(FIGURE_WEEKS)
	expect(weeks[0]).toEqual({ week: oldest, reads: { home: 5 }, database: null, pictures: null })
	const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`.execute(
		db(),
	)
	const [size] = rows
	expect(weeks.at(-1)?.pictures).toBe(4321)
	expect(Math.abs((weeks.at(-1)?.database ?? 0) - (size?.bytes ?? 0))).toBeLessThan(1e6)
	expect(tables.map(({ bytes }) => bytes)).toEqual(tables.map(({ bytes }) => bytes).toSorted((one, two) => two - one))
	const { rows: left } = await sql`select from weekly_reads where week = ${old}::date`.execute(db())
	expect(left).toEqual([])
	await sql`insert into weekly_members (week, joined, active) values (${daysBefore(lastYear, 14)}::date, 3, 2)`.execute(
		db(),
	)
	const lines = (await exportFigures(admin)).trim().split('\r\n')
	// From the first week in which something happened until the present one.
	expect(lines).toHaveLength(1 + 60 + 2 + 1)
	expect(lines[1]).toBe(`"${daysBefore(lastYear, 14)}","3","2","0","0","","0","0","0","0","0","0","",""`)
	expect(lines[3]).toBe(`"${lastYear}","0","0","0","0","","0","0","0","0","0","5","",""`)
	await sql`delete from weekly_members`.execute(db())
})

test('only admins see it', async () => {
	for (const viewer of [null, author, { ...author, role: 'moderator' as const }])
		for (const see of [readUsage, exportFigures]) await expect(see(viewer)).rejects.toThrow(NotAllowed)
})
