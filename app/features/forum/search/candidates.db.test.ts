import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { db } from '~/db/db.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { listQueries } from '../reading.server.ts'

useDatabase()

/** More than a search ranks, and than it counts where two tags meet; fewer than it reads for a phrase. */
const newer = 450
const first = 1_000_000
let asha: SignedIn
let ravi: SignedIn

beforeAll(async () => {
	;[asha, ravi] = await Promise.all([makeMember('asha'), makeMember('ravi')])
	await add(ravi, { id: 5, count: 1, title: 'The teapot and the kettle', body: 'My kettle boils.' })
	await add(asha, { id: first, count: newer, title: 'A kettle', body: 'It boils, says the kettle.' })
})

/** Queries with ids that follow each other, an hour between two. */
async function add(
	author: SignedIn,
	{ id, count, title, body }: { id: number; count: number; title: string; body: string },
) {
	await sql`
		with added as (
			insert into queries (id, author_id, category_id, title, description, description_html, excerpt, tags, created_at, search)
			select n, ${author.id}, (select min(id) from categories), ${title}, ${body}, '', '', '{steam,water}', timestamptz '2020-01-01' + n * interval '1 hour',
				query_document(${title}, '{steam,water}', ${body})
			from generate_series(${id}::int, ${id + count - 1}::int) n returning id, created_at),
		named as (insert into tags (name, query_count) values ('steam', ${count}), ('water', ${count})
			on conflict (name) do update set query_count = tags.query_count + excluded.query_count returning id)
		insert into query_tags (tag_id, query_id, created_at) select named.id, added.id, added.created_at from added, named`.execute(
		db(),
	)
}

async function everyPage(search: string): Promise<number[]> {
	const met: number[] = []
	let cursor: string | null = null
	do {
		const { rows, next } = await listQueries(null, { search, cursor, limit: 50 })
		met.push(...rows.map((row) => row.id))
		cursor = next
	} while (cursor)
	return met
}

test('of a word in very many queries the newest 300 are ranked', async () => {
	const met = await everyPage('kettle')
	expect(met).toEqual(Array.from({ length: 300 }, (_, index) => first + newer - 1 - index))
})

test('a rare word is found in the oldest query', async () => {
	expect(await everyPage('teapot')).toEqual([5])
})

test('a common word beside a rare one is found in the oldest query', async () => {
	expect(await everyPage('kettle teapot')).toEqual([5])
})

test('a common word is found in the oldest query of a member who wrote few', async () => {
	expect(await everyPage('kettle user:ravi')).toEqual([5])
})

test('a phrase is found in the oldest query although newer ones have its words apart', async () => {
	expect(await everyPage('"kettle boils"')).toEqual([5])
})

test('what a minus leaves out is left out as a phrase, not word by word', async () => {
	expect(await everyPage('teapot -"boils kettle"')).toEqual([5])
	expect(await everyPage('teapot -"kettle boils"')).toEqual([])
})

test('two tags that meet often are listed to the last, by time', async () => {
	const met = await everyPage('tag:steam tag:water')
	expect(met).toEqual([...Array.from({ length: newer }, (_, index) => first + newer - 1 - index), 5])
})

test('conditions that meet seldom are listed by time', async () => {
	expect(await everyPage('tag:steam tag:water user:ravi')).toEqual([5])
})
