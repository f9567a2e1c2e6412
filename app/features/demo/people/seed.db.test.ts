import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { seedQuestions } from '~/features/demo/seed.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { recountTerms } from '../../../../tests/support/members.ts'
import { generateMember, seedDomain } from './people.ts'
import { seedMembers, siteHasAccounts } from './seed.server.ts'

useDatabase()

const quietly = { onProgress: () => {} }

test('members are deterministic, with unique usernames', () => {
	expect(generateMember(4_711)).toEqual(generateMember(4_711))
	const usernames = Array.from({ length: 20_000 }, (_, index) => generateMember(index + 1).username)
	expect(new Set(usernames).size).toBe(usernames.length)
	expect(usernames.every((username) => /^[a-z0-9_.-]+$/.test(username))).toBe(true)
})

test('a community grows to the given size, with counters and search rows', async () => {
	await seedMembers(50, quietly)
	await seedMembers(120, quietly)
	expect((await seedMembers(120, quietly)).members).toBe(0)
	const { count } = await db()
		.selectFrom('users')
		.select(({ fn }) => fn.countAll<string>().as('count'))
		.where('imported', '=', false)
		.executeTakeFirstOrThrow()
	const counter = await db().selectFrom('counters').select('value').where('name', '=', 'members').executeTakeFirst()
	expect([Number(count), Number(counter?.value)]).toEqual([120, 120])
	const counters = await db().selectFrom('terms').select(['id', 'members']).orderBy('id').execute()
	expect(counters).toEqual(await recountTerms())
	expect(await siteHasAccounts()).toBe(false)
})

test('the planner has statistics of every table that was filled', async () => {
	const filled = [
		'users',
		'profiles',
		'skills',
		'profile_skills',
		'projects',
		'certificates',
		'terms',
		'member_search',
		'skill_evidence',
		'skill_strengths',
	]
	const { rows } = await sql<{ name: string }>`
		select relname as name from pg_class where relname = any(${filled}::text[]) and reltuples <= 0`.execute(db())
	expect(rows).toEqual([])
})

test('questions are by these members, without duplicates, with counters', async () => {
	await seedQuestions(30, { authors: seedDomain, ...quietly })
	expect(await seedQuestions(30, { authors: seedDomain, ...quietly })).toBe(0)
	const rows = await db().selectFrom('questions').select(['comment_count', 'author_id', 'tags']).execute()
	const comments = await db().selectFrom('comments').select('id').execute()
	expect(rows).toHaveLength(30)
	expect(rows.reduce((sum, row) => sum + row.comment_count, 0)).toBe(comments.length)
	const tags = await db().selectFrom('tags').select('question_count').execute()
	expect(tags.reduce((sum, tag) => sum + tag.question_count, 0)).toBe(
		rows.reduce((sum, row) => sum + row.tags.length, 0),
	)
})

test('questions require members', async () => {
	await expect(seedQuestions(40, { authors: 'nowhere.example', ...quietly })).rejects.toThrow('Questions need members')
})
