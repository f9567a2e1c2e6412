import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { deleteMessage } from '~/features/chat/messages/changing.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import { reindexMessages } from './reindexing.queries.server.ts'
import { collectMessageWords, searchOwnMessages } from './search.server.ts'

useDatabase()

let serial = 0
let mira: SignedIn
let tomas: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
})

const texts = async (viewer: SignedIn, words: string) =>
	(await searchOwnMessages(viewer, words)).hits.map(({ passage }) => passage.map(({ text }) => text).join(''))

test('finds own messages by word, stem and prefix, sent and received, newest first', async () => {
	await makeMessage(mira, tomas, 'The **deadlines** were moved to [Friday](https://friday.example)')
	await makeMessage(tomas, mira, 'Which deadline, and why `<b>`?')
	// As plain text, without Markdown.
	const moved = 'The deadlines were moved to Friday'
	const which = 'Which deadline, and why <b>?'
	const both = [which, moved]
	const found: [string, string[]][] = [
		['deadline', both],
		['DEADL', both],
		['the deadline', both],
		['moved deadl', [moved]],
		['deadline -friday', [which]],
		['"moved to Friday"', [moved]],
		['"Friday moved"', []],
		...['', '  ', 'zebra', "' or 1=1 --", '\u0000', '@1', ':*', '!&|()', '\\', "'"].map((words): [string, string[]] => [
			words,
			[],
		]),
	]
	for (const viewer of [mira, tomas])
		for (const [words, expected] of found) expect([words, await texts(viewer, words)]).toEqual([words, expected])
	const [hit] = (await searchOwnMessages(mira, 'deadline -friday')).hits
	expect(hit?.passage).toEqual([
		{ text: 'Which ', hit: false },
		{ text: 'deadline', hit: true },
		{ text: ', and why <b>?', hit: false },
	])
	expect(hit?.peer.username).toBe(tomas.username)
})

test.each([
	['resume', 'Mein Résumé', 'Résumé'],
	['Résumé', 'my resume', 'resume'],
	['nino', 'el niño vino', 'niño'],
	['ångström', 'one angstrom', 'angstrom'],
	['e\u0301cole', 'une école', 'école'],
])('%j finds %j, with or without the accents', async (words, body, word) => {
	await makeMessage(mira, tomas, body)
	const { hits, nearly } = await searchOwnMessages(tomas, words)
	expect(nearly).toBe(false)
	expect(hits[0]?.passage.filter(({ hit }) => hit)).toEqual([{ text: word, hit: true }])
})

test.each([
	['भाषा', 'मेरी भाषा।', 'भाषा'],
	['भाषा कोड', 'मेरी भाषा में कोड है', 'भाषा'],
	['لغة', 'ما هي لغة؟', 'لغة'],
	['زبان', 'یہ زبان۔', 'زبان'],
	['krill', '•Plankton,\u00a0krill\u00a0and ice', 'krill'],
	['thanks many', 'Many thanks🙏bye', 'Many'],
	['naive plan', '“Naïve” plan…', 'Naïve'],
	['plan two', 'A plan… or “two”', 'plan'],
	["we'll meet", "We'll meet at two", 'll'],
	['we’ll meet', "We'll meet at two", 'll'],
	["o'brien two", 'O’Brien has two', 'O'],
	['“meet at two”', "We'll meet at two", 'meet'],
])('%j finds %j, whatever sign is beside a word', async (words, body, word) => {
	await makeMessage(mira, tomas, body)
	await makeMessage(tomas, mira, 'Two will meet')
	const { hits, nearly } = await searchOwnMessages(tomas, words)
	expect([hits.length, nearly]).toEqual([1, false])
	expect(hits[0]?.passage.map(({ text }) => text).join('')).toBe(body)
	expect(hits[0]?.passage.find(({ hit }) => hit)?.text).toBe(word)
})

test('after an update, earlier messages are found by words beside signs, as they read by then', async () => {
	const { rows } = await sql<{ definition: string }>`
		select pg_get_functiondef('without_accents'::regproc) as definition`.execute(db())
	await sql`create or replace function without_accents(value text) returns text language sql immutable parallel safe
		as 'select value'`.execute(db())
	const { id } = await makeMessage(mira, tomas, 'Otters🙏')
	await makeMessage(tomas, mira, 'Seals🙏')
	await sql.raw(rows[0]?.definition ?? '').execute(db())
	await sql`insert into reindexing_messages (after_id) values (0) on conflict do nothing`.execute(db())
	const found = async () => [
		await texts(mira, '"otters"'),
		await texts(mira, '"walruses"'),
		await texts(mira, '"seals"'),
	]
	expect(await found()).toEqual([[], [], []])
	const [reindexed] = await queuedBehind(
		(trx) => sql`update messages set body = 'Walruses🙏', html = '<p>Walruses🙏</p>' where id = ${id}`.execute(trx),
		[reindexMessages],
	)
	expect([reindexed?.status, ...(await found())]).toEqual(['fulfilled', [], ['Walruses🙏'], ['Seals🙏']])
	expect((await sql`select from reindexing_messages`.execute(db())).rows).toEqual([])
})

test.each([
	['a letter too few', 'tomorow'],
	['a letter too many', 'tommorrow'],
	['a wrong letter', 'tomorrov'],
	['two letters swapped', 'tomorrwo'],
	['two mistakes in a long word', 'timtabel'],
	['in one word of several', 'seminar tomorow'],
	['before an ending', 'timteables'],
])('a typing error is forgiven: %s', async (_what, words) => {
	await makeMessage(mira, tomas, 'The timetable says: seminar tomorrow.')
	const { hits, nearly } = await searchOwnMessages(mira, words)
	expect(hits).toHaveLength(1)
	expect(nearly).toBe(true)
	expect(hits[0]?.passage.some(({ hit }) => hit)).toBe(true)
})

test('exact matches exclude similar ones', async () => {
	await makeMessage(mira, tomas, 'desert')
	await makeMessage(mira, tomas, 'dessert')
	expect(await searchOwnMessages(mira, 'desert')).toMatchObject({ hits: [{}], nearly: false })
	// Both words are spelled correctly, but no message contains both.
	expect(await searchOwnMessages(mira, 'desert dessert')).toMatchObject({ hits: [] })
	expect(await searchOwnMessages(mira, '"desertt"')).toEqual({ hits: [], next: null, nearly: false })
})

test('nobody finds others’ messages, or learns that others used a word', async () => {
	const stranger = await makeMember(`stranger${serial}`)
	await makeMessage(mira, tomas, 'The heliotrope blooms')
	await makeMessage(stranger, mira, 'Something else')
	for (const words of ['heliotrope', 'helio', 'heliotrpoe', '"heliotrope blooms"', `@${mira.id}`, `'@${mira.id}'`])
		expect(await searchOwnMessages(stranger, words)).toEqual({ hits: [], next: null, nearly: false })
	await expect(searchOwnMessages(null, 'heliotrope')).rejects.toMatchObject({ status: 403 })
})

/** Backdated messages of both members; every seventh contains the word. */
async function fill(count: number, word: string): Promise<void> {
	await makeMessage(mira, tomas, 'first')
	await makeMessage(tomas, mira, 'second')
	await sql`insert into messages (conversation_id, sender_id, recipient_id, client_id, body, html, version)
		select conversation_id, case when n % 2 = 0 then sender_id else recipient_id end,
			case when n % 2 = 0 then recipient_id else sender_id end, gen_random_uuid(),
			case when n % 7 = 0 then ${word} || ' ' || n else 'filler ' || n end, '', n + 1
		from messages, generate_series(1, ${count}::int) as n
		where sender_id = ${mira.id} and body = 'first'`.execute(db())
}

test.each([
	['often', 'bramble', 700],
	['beyond what is looked through one by one', 'bramble', 4_500],
])('all results are paged, each once and newest first: %s', async (_what, word, count) => {
	await fill(count, word)
	const ids: number[] = []
	let before: number | null = null
	do {
		const page = await searchOwnMessages(tomas, word, before)
		expect(page.hits.length).toBeLessThanOrEqual(30)
		ids.push(...page.hits.map(({ id }) => id))
		before = page.next
	} while (before !== null)
	const rows = await db()
		.selectFrom('messages')
		.select('id')
		.where('body', 'like', `${word}%`)
		.where((eb) => eb.or([eb('sender_id', '=', tomas.id), eb('recipient_id', '=', tomas.id)]))
		.orderBy('id', 'desc')
		.execute()
	expect(ids).toEqual(rows.map(({ id }) => id))
	await expect(searchOwnMessages(tomas, word, 'x')).rejects.toMatchObject({ status: 422 })
})

test('the index has few messages that are not sorted in yet, as each search reads them all', async () => {
	await fill(4_500, 'bramble')
	const { rows } = await sql<{ pages: number }>`
		select gin_clean_pending_list('messages_search')::int as pages`.execute(db())
	expect(rows[0]?.pages).toBeLessThanOrEqual(40)
})

test('with many messages, old words are known after the job has run, and deleted later', async () => {
	await startJobs()
	await stopJobs()
	const old = await makeMessage(mira, tomas, 'The heliotrope blooms')
	await passTime()
	await fill(2_500, 'bramble')
	await passTime()
	const near = () => searchOwnMessages(tomas, 'heliotrpoe')
	expect((await near()).hits).toEqual([])
	const jobs = await sql<{ user: number }>`
		select (payload ->> 'userId')::int as user from graphile_worker._private_jobs jobs
		join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id where identifier = 'learn-own-words'`.execute(
		db(),
	)
	expect(jobs.rows).toContainEqual({ user: tomas.id })
	await collectMessageWords({ userId: tomas.id })
	expect(await near()).toMatchObject({ hits: [{ id: old.id }], nearly: true })
	// Words of new messages are read at once, without the job.
	await makeMessage(mira, tomas, 'A rhododendron')
	expect((await searchOwnMessages(tomas, 'rhododendrun')).hits).toHaveLength(1)
	await deleteMessage(mira, { with: tomas.username, id: old.id })
	expect((await near()).hits).toEqual([])
	await sql`update own_words set made_at = now() - interval '31 days' where user_id = ${tomas.id}`.execute(db())
	await collectMessageWords({ userId: tomas.id })
	const { words } = await db()
		.selectFrom('own_words')
		.select('words')
		.where('user_id', '=', tomas.id)
		.executeTakeFirstOrThrow()
	expect(words).toContain('bramble')
	expect(words.join()).not.toContain('heliotrop')
})
