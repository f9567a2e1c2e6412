import { beforeAll, expect, test } from 'vitest'
import { seedMembers } from '~/features/demo/people/seed.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeTab } from '../../../tests/factories/presence.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { recountTerms } from '../../../tests/support/members.ts'
import { NO_CRITERIA } from './directory.paths.ts'
import { listCommunity, listNewest, listOnline } from './directory.server.ts'

useDatabase()

let made = 0

beforeAll(async () => {
	await seedMembers(20, { onProgress: () => {} })
})

test('a member can be found as soon as they have registered, and never twice', async () => {
	const { username } = await addMember('Isolde Kettlewick')
	expect(await found('isolde')).toEqual([username])
	expect((await listNewest(null, 1))[0]?.username).toBe(username)
})

test('an author of imported questions is no member', async () => {
	const { count } = await listCommunity(NO_CRITERIA)
	await addMember('Imported Kettlewick', { imported: true })
	expect(await found('imported')).toEqual([])
	expect((await listCommunity(NO_CRITERIA)).count).toEqual(count)
})

test('a changed name, university, branch or skill is found, and the old one is not', async () => {
	const { id, username } = await addMember('Petra Oldname')
	await db().updateTable('users').set({ name: 'Petra Newname' }).where('id', '=', id).execute()
	await db()
		.updateTable('profiles')
		.set({ university_name: 'Quillhaven University', enrol_in_branch_name: 'Cartography' })
		.where('user_id', '=', id)
		.execute()
	const { id: skill } = await db()
		.insertInto('skills')
		.values({ name: 'Sextants', name_key: 'sextants' })
		.returning('id')
		.executeTakeFirstOrThrow()
	await db().insertInto('profile_skills').values({ user_id: id, skill_id: skill, position: 0 }).execute()
	expect(await found('oldname')).toEqual([])
	for (const q of ['newname', 'quillhaven', 'sextants']) expect(await found(q)).toEqual([username])
	const inBranch = await listCommunity({ ...NO_CRITERIA, branches: ['cartography'] })
	expect(inBranch.page.rows.map((row) => row.username)).toEqual([username])
	await db().deleteFrom('profile_skills').where('user_id', '=', id).execute()
	expect(await found('sextants')).toEqual([])
})

test('data of a transaction that was rolled back is not found', async () => {
	const { id, username } = await addMember('Rolf Steadfast')
	await db()
		.transaction()
		.execute(async (trx) => {
			await trx.updateTable('users').set({ name: 'Rolf Fleeting' }).where('id', '=', id).execute()
			throw new Error('changed my mind')
		})
		.catch(() => {})
	expect([await found('steadfast'), await found('fleeting')]).toEqual([[username], []])
})

test('a member is found as online while a tab is open, and not once all are closed', async () => {
	const { id, username } = await addMember('Nela Lampkeeper')
	const tabs = [await makeTab(id), await makeTab(id)]
	const online = async () =>
		(await listCommunity({ ...NO_CRITERIA, online: true })).page.rows.map((row) => row.username)
	expect(await online()).toEqual([username])
	const active = await listCommunity({ ...NO_CRITERIA, sort: 'active' })
	expect(active.page.rows[0]?.username).toBe(username)
	await db()
		.deleteFrom('connections')
		.where('id', '=', tabs[0] ?? '')
		.execute()
	expect(await online()).toEqual([username])
	await db().updateTable('profiles').set({ show_presence: false }).where('user_id', '=', id).execute()
	expect(await online()).toEqual([])
	await db().deleteFrom('connections').where('user_id', '=', id).execute()
	await db().updateTable('profiles').set({ last_seen_at: new Date() }).where('user_id', '=', id).execute()
	const lastSeen = async () => (await listCommunity({ ...NO_CRITERIA, sort: 'active' })).page.rows[0]?.username
	expect(await lastSeen()).not.toBe(username)
	await db().updateTable('profiles').set({ show_presence: true }).where('user_id', '=', id).execute()
	expect([await online(), await lastSeen()]).toEqual([[], username])
	const { username: later, id: laterId } = await addMember('Later Seen')
	await db().updateTable('profiles').set({ last_seen_at: new Date() }).where('user_id', '=', laterId).execute()
	expect(await lastSeen()).toBe(later)
})

test('a member with two tabs is counted as online once; a tab that was not renewed does not count', async () => {
	const first = await addMember('Tab Twice')
	const second = await addMember('Tab Stale')
	await makeTab(first.id)
	await makeTab(first.id)
	await makeTab(second.id, 46)
	expect((await listOnline(null, 5)).map(({ username, online }) => ({ username, online }))).toEqual([
		{ username: first.username, online: true },
	])
	const byFilter = await listCommunity({ ...NO_CRITERIA, online: true })
	expect(byFilter.page.rows.map(({ username }) => username)).toEqual([first.username])
	const counters = await db().selectFrom('terms').select(['id', 'members']).orderBy('id').execute()
	expect(counters).toEqual(await recountTerms())
	await db().deleteFrom('connections').execute()
	expect((await listCommunity({ ...NO_CRITERIA, online: true })).count.number).toBe(0)
	expect(await db().selectFrom('terms').select('members').where('kind', '=', 'online').execute()).toEqual([
		{ members: 0 },
	])
})

test('concurrent changes leave counts that equal the rows', async () => {
	const members = await Promise.all(Array.from({ length: 8 }, (_, index) => addMember(`Crowd Member${index}x`)))
	const branches = ['Cartography', 'Horology', 'Astronomy']
	await Promise.all(
		Array.from({ length: 60 }, (_, index) =>
			db()
				.updateTable('profiles')
				.set({
					enrol_in_branch_name: branches[index % 3] ?? '',
					current_year: 1 + (index % 4),
					open_to: index % 2 ? ['mentoring'] : ['mentoring', 'teammates'],
					listed: index % 7 !== 0,
				})
				.where('user_id', '=', members[index % members.length]?.id ?? 0)
				.execute(),
		),
	)
	await db()
		.deleteFrom('users')
		.where('id', '=', members[0]?.id ?? 0)
		.execute()
	const counters = await db().selectFrom('terms').select(['id', 'members']).orderBy('id').execute()
	expect(counters).toEqual(await recountTerms())
})

async function addMember(name: string, more: { imported?: boolean } = {}): Promise<{ id: number; username: string }> {
	made += 1
	const username = `someone-${made}`
	return db()
		.transaction()
		.execute(async (trx) => {
			const { id } = await trx
				.insertInto('users')
				.values({ username, name, email: `${username}@campus.example`, image: null, ...more })
				.returning('id')
				.executeTakeFirstOrThrow()
			const unknown = { year_of_passing: null, current_semester: null, current_year: null }
			await trx
				.insertInto('profiles')
				.values({ user_id: id, ...unknown })
				.execute()
			return { id, username }
		})
}

async function found(q: string): Promise<string[]> {
	const { page } = await listCommunity({ ...NO_CRITERIA, q })
	return page.rows.map(({ username }) => username)
}
