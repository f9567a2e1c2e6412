import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { writeBlock } from '~/features/members/blocks.queries.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { countUnread, listNotifications } from '~/features/notifications/notifications.server.ts'
import { hideProfile } from '~/features/profiles/hiding.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Input } from '~/platform/http/form.server.ts'
import type { Leaver } from '~/platform/member-data.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { following } from './following.feature.server.ts'
import { MAX_SAVED_SEARCHES } from './following.limits.ts'
import {
	checkSavedSearches,
	listSavedSearches,
	openSearch,
	removeSearch,
	restoreSearch,
	saveSearch,
} from './searches.server.ts'

useDatabase()

let serial = 0
let author: SignedIn
let moderator: SignedIn
let member: SignedIn

beforeAll(async () => {
	author = await makeMember('author')
	moderator = await makeMember('moderator', 'moderator')
})

beforeEach(async () => {
	serial += 1
	member = await makeMember(`member${serial}`)
	await sql`update questions set created_at = created_at - interval '3 days'`.execute(db())
	await sql`update question_routing set published_at = published_at - interval '3 days'`.execute(db())
	await sql`delete from saved_searches`.execute(db())
})

/** Adds a question that is half a day old. */
async function asked(title: string, by: SignedIn = author, input: Input = {}) {
	const { id } = await makeQuestion(by, { title, tags: 'saved', ...input })
	await sql`update questions set created_at = now() - interval '12 hours' where id = ${id}`.execute(db())
	await sql`update question_routing set published_at = now() - interval '12 hours' where question_id = ${id}`.execute(
		db(),
	)
	return id
}

/** Makes all questions of today two days old. */
async function grow() {
	await sql`update questions set created_at = now() - interval '2 days' where created_at > now() - interval '1 day'`.execute(
		db(),
	)
	await sql`update question_routing set published_at = now() - interval '2 days' where published_at > now() - interval '1 day'`.execute(
		db(),
	)
}

/** Makes the last check of every search more than a day old. */
const age = () => sql`update saved_searches set checked_at = now() - interval '25 hours'`.execute(db())

const found = async (viewer: Viewer) =>
	(await listSavedSearches(viewer)).map(({ name, newResults }) => `${name}: ${newResults}`)
const told = async (viewer: SignedIn) =>
	(await listNotifications(viewer)).rows.map(({ by, words, title }) => `${by} ${words} ${title}`)

describe('a saved search for questions', () => {
	test('counts new questions by others, notifies once a day, and restarts when it is opened', async () => {
		await asked(`A walrus of long ago ${serial}`)
		await grow()
		const { id, url } = await saveSearch(member, { kind: 'queries', query: ' walrus  tag:saved ', name: 'Walruses' })
		expect(url).toBe('/search?q=walrus+tag%3Asaved&in=questions')
		expect(await checkSavedSearches()).toBe(0)
		await age()
		await asked(`Another walrus ${serial}`)
		await asked(`A seal ${serial}`)
		await asked(`A walrus of my own ${serial}`, member)
		expect(await checkSavedSearches()).toBe(1)
		expect([await found(member), await told(member)]).toEqual([
			['Walruses: 1'],
			['A saved search has new results: Walruses'],
		])
		expect(await checkSavedSearches()).toBe(0)
		expect(await openSearch(member, id, false)).toBe(url)
		expect(await found(member)).toEqual(['Walruses: 1'])
		expect(await openSearch(member, id, true)).toBe(url)
		expect(await found(member)).toEqual(['Walruses: 0'])
		expect((await listNotifications(member, { unread: true })).rows).toEqual([])
		await age()
		await grow()
		expect([await checkSavedSearches(), await found(member)]).toEqual([1, ['Walruses: 0']])
	})

	test('has no new results after it was opened during its daily check', async () => {
		const { id } = await saveSearch(member, { kind: 'queries', query: 'narwhal', name: 'Narwhals' })
		await age()
		await asked(`A narwhal ${serial}`)
		await queuedBehind<unknown>(
			(trx) => sql`select from saved_searches where id = ${id} for update`.execute(trx),
			[checkSavedSearches, () => openSearch(member, id, true)],
		)
		expect(await found(member)).toEqual(['Narwhals: 0'])
		expect((await listNotifications(member, { unread: true })).rows).toEqual([])
	})

	test('finds a question that was pending for longer than the interval of checks', async () => {
		const newcomer = await makeMember(`fresh${serial}`, 'member', new Date(Date.now() - 3_600_000))
		const description = '[Shoes](https://shoes.example/)'
		const id = await asked(`A puffin that waits ${serial}`, newcomer, { description })
		await sql`update questions set created_at = now() - interval '3 days' where id = ${id}`.execute(db())
		await saveSearch(member, { kind: 'queries', query: 'puffin', name: 'Puffins' })
		await age()
		await decideCase(moderator, { kind: 'query', name: String(id), act: 'approve' }, {})
		await sql`update question_routing set published_at = now() - interval '2 hours' where question_id = ${id}`.execute(
			db(),
		)
		await checkSavedSearches()
		expect([await found(member), await told(member)]).toEqual([
			['Puffins: 1'],
			['A saved search has new results: Puffins'],
		])
	})

	test('counts questions that were imported today', async () => {
		await saveSearch(member, { kind: 'queries', query: 'gannet', name: 'Gannets' })
		await age()
		const id = await asked(`A gannet ${serial}`)
		await sql`delete from question_routing where question_id = ${id}`.execute(db())
		await checkSavedSearches()
		expect(await found(member)).toEqual(['Gannets: 1'])
	})

	test('ignores a member’s own questions under a pseudonym, and those by members whom they block', async () => {
		const blocked = await makeMember(`blocked${serial}`)
		await writeBlock(db(), member.id, blocked.id, true)
		await saveSearch(member, { kind: 'queries', query: 'cormorant', name: 'Cormorants' })
		await age()
		await asked(`A cormorant under a pseudonym ${serial}`, member, { pseudonym: 'on' })
		await asked(`A cormorant by somebody blocked ${serial}`, blocked)
		await checkSavedSearches()
		expect([await found(member), await told(member)]).toEqual([['Cormorants: 0'], []])
	})

	test('is checked by one of two concurrent runs, and not for a suspended member', async () => {
		await saveSearch(member, { kind: 'queries', query: 'narwhal', name: 'Narwhals' })
		await age()
		await asked(`A narwhal ${serial}`)
		await Promise.all([checkSavedSearches(), checkSavedSearches()])
		expect([await found(member), await told(member)]).toEqual([
			['Narwhals: 1'],
			['A saved search has new results: Narwhals'],
		])
		await age()
		await sql`update users set suspended_until = 'infinity' where id = ${member.id}`.execute(db())
		expect(await checkSavedSearches()).toBe(0)
	})
})

test('a search that is removed, or ends with the member whom it names, has no notification any more', async () => {
	const saved = { kind: 'queries', query: 'pelican', name: 'Pelicans' }
	const ids = [
		(await saveSearch(member, saved)).id,
		(await saveSearch(member, { ...saved, query: `pelican user:${author.username}` })).id,
	]
	await age()
	await asked(`A pelican ${serial}`)
	await checkSavedSearches()
	expect(await countUnread(member)).toBe(2)
	await removeSearch(author, ids[0] ?? 0)
	expect(await countUnread(member)).toBe(2)
	await removeSearch(member, ids[0] ?? 0)
	expect([await countUnread(member), (await told(member)).length]).toEqual([1, 1])
	for (const step of following.leaving ?? []) await step({ usernames: [author.username] } as unknown as Leaver)
	expect([await countUnread(member), await told(member)]).toEqual([0, []])
})

test('a search that is restored has its new results; after a permanent removal it starts from zero', async () => {
	const search = { kind: 'queries', query: 'heron', name: 'Herons' }
	const { id } = await saveSearch(member, search)
	await sql`update saved_searches set hits = 3, checked_at = now() - interval '5 hours'`.execute(db())
	expect(await saveSearch(member, { ...search, name: 'All herons' })).toMatchObject({ id, newResults: 3 })
	await removeSearch(member, id)
	expect(await saveSearch(member, search)).toMatchObject({ id, newResults: 3 })
	await removeSearch(member, id)
	await sql`update saved_searches set removed_at = removed_at - interval '11 minutes'`.execute(db())
	expect(await saveSearch(member, search)).toMatchObject({ id, newResults: 0 })
	expect(await found(member)).toEqual(['Herons: 0'])
	const { rows } = await sql`select from saved_searches where checked_at > now() - interval '1 minute'`.execute(db())
	expect(rows).toHaveLength(1)
})

describe('a saved search for people', () => {
	const list = async (name: string, city: string) => {
		const person = await makeMember(name)
		await sql`insert into profiles (user_id, city) values (${person.id}, ${city})
			on conflict (user_id) do update set city = excluded.city`.execute(db())
		return person
	}

	test('finds new matches that its member may see: neither hidden ones nor private fields', async () => {
		const city = `Port${serial}ville`
		await list(`first${serial}`, city)
		await saveSearch(member, { kind: 'people', query: `q=${city}`, name: city })
		const moving = await list(`moving${serial}`, 'Elsewhere')
		const hidden = await list(`hidden${serial}`, 'Elsewhere')
		const secret = await list(`secret${serial}`, 'Elsewhere')
		await age()
		await checkSavedSearches()
		expect(await found(member)).toEqual([`${city}: 0`])
		await sql`update profiles set city = ${city} where user_id = any(${[moving.id, hidden.id, secret.id]})`.execute(
			db(),
		)
		await db()
			.transaction()
			.execute((trx) => hideProfile(trx, hidden.id, 'Unkind'))
		await sql`update profiles set only_me = array['city'] where user_id = ${secret.id}`.execute(db())
		await age()
		await checkSavedSearches()
		expect(await found(member)).toEqual([`${city}: 1`])
		await age()
		await checkSavedSearches()
		expect(await found(member)).toEqual([`${city}: 1`])
	})

	test('does not notify of members who only moved up among the newest because another one left', async () => {
		const city = `Big${serial}city`
		await sql`
			with made as (
				insert into users (username, name, email)
				select 'crowd' || ${serial}::int || 'x' || i, 'Crowd', 'crowd' || ${serial}::int || 'x' || i || '@campus.example'
				from generate_series(1, 60) i returning id)
			insert into profiles (user_id, city) select id, ${city} from made`.execute(db())
		await saveSearch(member, { kind: 'people', query: `q=${city}`, name: city })
		await sql`update profiles set city = 'Elsewhere' where user_id = (select max(user_id) from profiles where city = ${city})`.execute(
			db(),
		)
		await age()
		await checkSavedSearches()
		expect([await found(member), await told(member)]).toEqual([[`${city}: 0`], []])
		await list(`newcomer${serial}`, city)
		await age()
		await checkSavedSearches()
		expect(await found(member)).toEqual([`${city}: 1`])
	})
})

test('can be removed, restored within ten minutes and renamed, by its member only', async () => {
	const search = { kind: 'queries', query: 'otter', name: 'Otters' }
	const { id } = await saveSearch(member, search)
	await removeSearch(author, id)
	expect(await found(member)).toEqual(['Otters: 0'])
	await removeSearch(member, id)
	expect(await found(member)).toEqual([])
	await expect(restoreSearch(author, id)).rejects.toThrow(NotFound)
	await restoreSearch(member, id)
	expect((await saveSearch(member, { ...search, name: 'Only otters' })).id).toBe(id)
	expect(await found(member)).toEqual(['Only otters: 0'])
	await expect(openSearch(author, id, true)).rejects.toThrow(NotFound)
	await removeSearch(member, id)
	await sql`update saved_searches set removed_at = removed_at - interval '11 minutes'`.execute(db())
	await expect(restoreSearch(member, id)).rejects.toThrow(NotFound)
})

test('a member saves at most 20 searches, even with concurrent requests', async () => {
	for (let count = 1; count < MAX_SAVED_SEARCHES; count++)
		await saveSearch(member, { kind: 'queries', query: `word${count}`, name: 'x' })
	const ends = await Promise.allSettled(
		['one', 'two'].map((query) => saveSearch(member, { kind: 'queries', query, name: 'x' })),
	)
	expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
	expect(ends.find((end) => end.status === 'rejected')?.reason).toBeInstanceOf(Invalid)
})

test.each<[string, Viewer | 'member', object, unknown]>([
	['a visitor', null, { kind: 'queries', query: 'x', name: 'x' }, NotAllowed],
	['another kind', 'member', { kind: 'tags', query: 'x', name: 'x' }, Invalid],
	['nothing searched for', 'member', { kind: 'queries', query: '  ', name: 'x' }, Invalid],
	['everybody', 'member', { kind: 'people', query: 'online=1&sort=active', name: 'x' }, Invalid],
	['no name', 'member', { kind: 'queries', query: 'x', name: ' ' }, Invalid],
	['a long name', 'member', { kind: 'queries', query: 'x', name: 'x'.repeat(61) }, Invalid],
])('%s is refused', async (_what, who, input, error) => {
	const viewer = who === 'member' ? member : who
	await expect(saveSearch(viewer as Viewer, { ...input })).rejects.toThrow(error as new () => Error)
})
