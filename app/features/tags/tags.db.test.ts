import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { listTagFollowers } from '~/features/questions/notifying/notifying.queries.server.ts'
import type { ListView } from '~/features/questions/questions.queries.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { alignTerms } from '~/features/terms/terms.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { pipelinedTransaction } from '~/platform/db/transaction.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { countWaiting } from '../../../tests/support/locks.ts'
import { listFollowed, setFollowing } from './following.server.ts'
import { retagQuestion } from './tags.queries.server.ts'
import {
	addSynonym,
	describeTag,
	getCategoryPage,
	getTag,
	listRelatedTags,
	listSynonyms,
	removeSynonym,
} from './tags.server.ts'

useDatabase()

let asha: SignedIn
let ben: SignedIn
let moderator: SignedIn

beforeAll(async () => {
	asha = await makeMember('asha')
	ben = await makeMember('ben')
	moderator = await makeMember('mod', 'moderator')
})

test('a synonym is stored as the main tag, without duplicates', async () => {
	const { id } = await makeQuestion(asha, { tags: 'JS, closures, javascript, ts' })
	expect((await getQuestion(null, id)).tags).toEqual(['javascript', 'closures', 'typescript'])
	await editQuestion(asha, id, { title: 'Edited it now', description: 'x', tags: 'reactjs', category: 'others' })
	expect((await getQuestion(null, id)).tags).toEqual(['react'])
	expect(await getTag(null, 'React.js')).toMatchObject({ name: 'react', count: 1 })
	await expectFiguresToHold()
})

test.each([
	[{ tag: 'Esoterics' }, { tags: ['esoterics'] }],
	[{ tag: 'esoterics\u0000' }, { tags: ['esoterics'] }],
	[{ category: 'java\u0000' }, { categories: ['java'] }],
])('%j is followed under the tag of its page', async (target, followed) => {
	await makeQuestion(asha, { tags: 'esoterics' })
	await setFollowing(ben, target, true)
	expect(await listFollowed(ben)).toMatchObject(followed)
	await setFollowing(ben, target, false)
	expect(await listFollowed(ben)).toEqual({ tags: [], categories: [] })
})

test('a member who follows a tag while it is merged follows the remaining one', async () => {
	await makeQuestion(asha, { tags: 'gone-while-followed' })
	let merge: Promise<unknown> = Promise.resolve()
	let follow: Promise<unknown> = Promise.resolve()
	await db()
		.transaction()
		.execute(async (trx) => {
			// The follow has found its tag, and waits.
			await lockMember(trx, ben.id)
			follow = setFollowing(ben, { tag: 'gone-while-followed' }, true)
			await eventually(async () => expect(await countWaiting()).toBe(1))
			let isMerged = false
			merge = addSynonym(moderator, { name: 'gone-while-followed', main: 'kept-while-followed' }).then(() => {
				isMerged = true
			})
			await eventually(async () => expect(isMerged || (await countWaiting()) === 2).toBe(true))
		})
	await Promise.all([follow, merge])
	expect(await getTag(ben, 'kept-while-followed')).toMatchObject({ following: true })
	expect((await listFollowed(ben)).tags).toEqual(['kept-while-followed'])
	await setFollowing(ben, { tag: 'kept-while-followed' }, false)
})

test('the lists of a tag and of a category have the filters and orders of the forum', async () => {
	const where = { tags: 'views-of-a-list', category: 'careers' }
	const make = async () => (await makeQuestion(asha, where)).id
	const [plain, solved, talked, once] = [await make(), await make(), await make(), await make()]
	const solution = await makeComment(ben, solved)
	await chooseSolution(asha, { questionId: solved, commentId: solution })
	const late = await makeComment(ben, once)
	await makeComment(ben, talked)
	await deleteComment(ben, late)
	await makeComment(ben, solved)
	const expected: Record<ListView, number[]> = {
		newest: [once, talked, solved, plain],
		active: [solved, talked, once, plain],
		unanswered: [once, plain],
		unsolved: [talked],
		solved: [solved],
	}
	for (const scope of [{ tag: where.tags }, { category: where.category }])
		for (const [view, ids] of Object.entries(expected)) {
			expect(await pagesOf({ ...scope, view: view as ListView }), view).toEqual(ids)
		}
	await withdrawSolution(moderator, { questionId: solved, commentId: solution })
	expect(await pagesOf({ tag: where.tags, view: 'solved' })).toEqual([])
	await chooseSolution(asha, { questionId: solved, commentId: solution })
	await deleteComment(ben, solution)
	expect(await pagesOf({ tag: where.tags, view: 'solved' })).toEqual([])
	await expectFiguresToHold()
})

test('adding a synonym moves questions, followers, synonyms and the description, and redirects the old name', async () => {
	const both = await makeQuestion(asha, { tags: 'a-first, colour, color, z-last' })
	const many = await Promise.all(Array.from({ length: 5 }, () => makeQuestion(asha, { tags: 'colour' })))
	await describeTag(moderator, 'colour', { description: 'Hue,  and\nwhat it is mixed of.' })
	await setFollowing(ben, { tag: 'colour' }, true)
	await setFollowing(asha, { tag: 'colour' }, true)
	await setFollowing(asha, { tag: 'color' }, true)
	await addSynonym(moderator, { name: 'colours', main: 'colour' })
	expect(await addSynonym(moderator, { name: 'Colour', main: '#color' })).toEqual({ name: 'colour', main: 'color' })
	expect((await getQuestion(null, both.id)).tags).toEqual(['a-first', 'color', 'z-last'])
	expect((await getQuestion(null, many[0]?.id ?? 0)).tags).toEqual(['color'])
	expect(await getTag(ben, 'colours')).toMatchObject({
		name: 'color',
		count: 6,
		description: 'Hue, and what it is mixed of.',
		synonyms: ['colour', 'colours'],
		following: true,
	})
	expect((await listFollowed(asha)).tags).toEqual(['color'])
	expect(await listQuestions(null, { tag: 'colour' })).toMatchObject({ rows: { length: 6 } })
	expect((await listQuestions(null, { search: 'color', tag: 'color' })).rows).toHaveLength(6)
	await expectFiguresToHold()
})

test('questions written meanwhile get the main tag', async () => {
	const asked = Array.from({ length: 20 }, () => makeQuestion(asha, { tags: 'old-name' }))
	await Promise.all([
		...asked.slice(0, 10),
		addSynonym(moderator, { name: 'old-name', main: 'new-name' }),
		...asked.slice(10),
	])
	expect((await getTag(null, 'old-name')).name).toBe('new-name')
	expect((await getTag(null, 'new-name')).count).toBe(20)
	await expectFiguresToHold()
})

test('interrupted moves are completed later', async () => {
	await makeQuestion(asha, { tags: 'left-behind' })
	await addSynonym(moderator, { name: 'taken-away', main: 'taken-along' })
	await sql`insert into term_spellings (key, spelling, term_id)
		select 'leftbehind', 'left-behind', id from vocabulary_terms where tag = 'taken-along'`.execute(db())
	await sql`update vocabulary_terms set unaligned = true where tag = 'taken-along'`.execute(db())
	await alignTerms()
	expect((await getTag(null, 'left-behind')).count).toBe(1)
	await expectFiguresToHold()
})

test('a removed synonym is a tag of its own again', async () => {
	await addSynonym(moderator, { name: 'part-me', main: 'whole' })
	expect((await listSynonyms(moderator))?.find(({ main }) => main === 'whole')?.names).toEqual(['part-me'])
	await removeSynonym(moderator, 'part-me')
	const { id } = await makeQuestion(asha, { tags: 'part-me' })
	expect((await getQuestion(null, id)).tags).toEqual(['part-me'])
})

test.each<[string, () => Promise<unknown>, number]>([
	['a member joins tags', () => addSynonym(ben, { name: 'x', main: 'y' }), 403],
	['a visitor joins tags', () => addSynonym(null, { name: 'x', main: 'y' }), 403],
	['a tag is joined to itself', () => addSynonym(moderator, { name: 'X', main: '#x' }), 422],
	['nothing is joined', () => addSynonym(moderator, { name: ' ', main: 'x' }), 422],
	['a spelling is too long', () => addSynonym(moderator, { name: 'x'.repeat(36), main: 'y' }), 422],
	['two are joined in a circle', () => addSynonym(moderator, { name: 'javascript', main: 'js' }), 409],
	['a member parts tags', () => removeSynonym(ben, 'js'), 403],
	['what is no synonym is parted', () => removeSynonym(moderator, 'no-synonym'), 404],
	['a member describes a tag', () => describeTag(ben, 'javascript', { description: 'x' }), 403],
	...['javascript', 'untermed'].map((tag): [string, () => Promise<unknown>, number] => [
		`who is no longer a moderator describes the tag ${tag}`,
		() => describeTag({ ...ben, role: 'moderator' }, tag, { description: 'x' }),
		403,
	]),
	['an unknown tag is described', () => describeTag(moderator, 'unknown-tag', { description: 'x' }), 404],
	['a description is too long', () => describeTag(moderator, 'javascript', { description: 'x'.repeat(501) }), 422],
	['a description cannot be stored', () => describeTag(moderator, 'javascript', { description: 'a\u0000b' }), 422],
	['a visitor follows', () => setFollowing(null, { tag: 'javascript' }, true), 403],
	['an unknown tag is followed', () => setFollowing(ben, { tag: 'unknown-tag' }, true), 404],
	['an unknown category is followed', () => setFollowing(ben, { category: 'unknown' }, true), 404],
])('nothing changes when %s', async (_what, act, status) => {
	await makeQuestion(asha, { tags: 'untermed' })
	const before = await everything()
	await expect(act()).rejects.toMatchObject({ status })
	expect(await everything()).toEqual(before)
})

test('only moderators see the list of synonyms', async () => {
	await expect(listSynonyms(ben)).rejects.toMatchObject({ status: 403 })
	await expect(listSynonyms(null)).rejects.toMatchObject({ status: 403 })
	expect(await listSynonyms(moderator)).toBeInstanceOf(Array)
})

test('related tags are those used together most often', async () => {
	for (const tags of ['core, near', 'core, near, far', 'core, near', 'far, elsewhere'])
		await makeQuestion(asha, { tags })
	const core = await getTag(null, 'core')
	expect(await listRelatedTags(core.id, 5)).toEqual([
		{ name: 'near', count: 3 },
		{ name: 'far', count: 2 },
	])
})

test('a member follows and unfollows tags and categories idempotently', async () => {
	const cleo = await makeMember('cleo')
	for (const times of [1, 2]) {
		await setFollowing(cleo, { tag: times === 1 ? 'py' : 'python' }, true)
		await setFollowing(cleo, { category: 'python' }, true)
	}
	expect(await listFollowed(cleo)).toEqual({ tags: ['python'], categories: ['python'] })
	const seen = async (viewer: Viewer) => [
		(await getTag(viewer, 'python')).following,
		(await getCategoryPage(viewer, 'python')).following,
	]
	expect(await seen(cleo)).toEqual([true, true])
	expect(await seen(ben)).toEqual([false, false])
	expect(await seen(null)).toEqual([false, false])
	await setFollowing(cleo, { tag: 'python' }, false)
	await setFollowing(cleo, { tag: 'python' }, false)
	expect(await listFollowed(cleo)).toEqual({ tags: [], categories: ['python'] })
	expect(await listFollowed(null)).toEqual({ tags: [], categories: [] })
})

test('followers of several tags and a category are listed in pages, each once', async () => {
	const fans: SignedIn[] = []
	// One after the other, so that their ids are in this order: the first one follows both tags, the last ones the category.
	for (let index = 0; index < 7; index += 1) {
		const fan = await makeMember(`fan${index}`)
		fans.push(fan)
		if (index % 2 === 0) await setFollowing(fan, { tag: 'haskell' }, true)
		if (index % 3 === 0) await setFollowing(fan, { tag: 'scala' }, true)
		if (index > 3) await setFollowing(fan, { category: 'embedded' }, true)
	}
	const followed = { tags: ['haskell', 'scala'], category: 'embedded' }
	const told: number[] = []
	for (let after = 0; ; after = told.at(-1) ?? 0) {
		const page = await listTagFollowers(db(), { ...followed, after, limit: 2 })
		told.push(...page)
		if (page.length < 2) break
	}
	expect(told).toEqual(fans.filter((_, index) => index !== 1).map(({ id }) => id))
})

test('writing the tags of a question reads these, however many there are', async () => {
	const { id } = await makeQuestion(asha, { title: 'How do I count what is read?', tags: 'haskell, scala' })
	const read = await pipelinedTransaction(async (trx) => {
		await sql`insert into tags (name) select 'unread-' || n from generate_series(1, 500) n`.execute(trx)
		const before = await countReadTags(trx)
		await retagQuestion(trx, id, ['scala', 'erlang'])
		const after = await countReadTags(trx)
		await sql`delete from tags where name like 'unread-%'`.execute(trx)
		return after - before
	})
	expect(read).toBeGreaterThan(0)
	expect(read).toBeLessThan(50)
	await pipelinedTransaction((trx) => retagQuestion(trx, id, ['haskell', 'scala']))
	await expectFiguresToHold()
})

/** How many rows of tags this connection has read and not reported yet. */
async function countReadTags(trx: Executor): Promise<number> {
	const { rows } = await sql<{ read: number }>`
		select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'tags'`.execute(
		trx,
	)
	return rows[0]?.read ?? 0
}

/** All ids of a list, read in pages of one. */
async function pagesOf(input: Parameters<typeof listQuestions>[1]): Promise<number[]> {
	const found: number[] = []
	let cursor: string | null = null
	do {
		const page = await listQuestions(null, { ...input, limit: 1, cursor })
		found.push(...page.rows.map(({ id }) => id))
		cursor = page.next
	} while (cursor)
	return found
}

async function everything(): Promise<unknown> {
	const tables = ['questions', 'question_tags', 'tags', 'term_spellings', 'vocabulary_terms', 'follows']
	const rows = tables.map((name) =>
		sql`select md5(string_agg(t::text, '|' order by t::text)) as hash from ${sql.table(name)} t`.execute(db()),
	)
	return (await Promise.all(rows)).map((result) => result.rows)
}

/** Asserts that all copies and counters of tags match the questions. */
async function expectFiguresToHold(): Promise<void> {
	const { rows } = await sql`
		select 'count' as what, t.name from tags t where question_count <> (select count(*) from question_tags where tag_id = t.id)
		union all select 'set', q.title from questions q where status = 'published' and
			array(select unnest(q.tags) order by 1) <> array(select name from question_tags join tags on tags.id = tag_id where question_id = q.id order by 1)
		union all select 'copy', q.title from question_tags t join questions q on q.id = t.question_id
			where (t.created_at, t.active_at, t.solved, t.unanswered) is distinct from (q.created_at, q.active_at, q.solved, q.comment_count = 0)
		union all select 'unmoved', tags.name from tags join term_spellings on key = term_key join vocabulary_terms t on t.id = term_id
			where tags.name <> t.tag and question_count > 0`.execute(db())
	expect(rows).toEqual([])
}
