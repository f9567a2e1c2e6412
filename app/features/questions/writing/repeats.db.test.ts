import { sql } from 'kysely'
import { beforeAll, expect, test, vi } from 'vitest'
import { askQuestion } from '~/features/asking/asking.server.ts'
import { addComment, deleteComment } from '~/features/discussion/commenting.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { KeyReused } from '~/platform/http/form.server.ts'
import { io } from '~/platform/realtime/io.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { callApi } from '../../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import { getQuestion } from '../questions.server.ts'

useDatabase()
useJobTables()

let asha: SignedIn
let ben: SignedIn

beforeAll(async () => {
	asha = await makeMember('asha')
	ben = await makeMember('ben')
})

const texts = { title: 'Does it come twice?', description: 'I pressed twice.', tags: 'pressing', category: 'others' }

test('twenty concurrent posts of one query create one, and all return it', async () => {
	const sendings = Array.from({ length: 20 }, () => askQuestion(asha, { ...texts, key: 'k-1' }))
	const [first, ...others] = await Promise.all(sendings)
	for (const other of others) expect(other).toEqual(first)
	expect((await listQuestions(null, { author: 'asha' })).rows.map(({ url }) => url)).toEqual([first?.url])
	const { rows } = await sql<{ n: number }>`select question_count as n from tags where name = 'pressing'`.execute(db())
	expect(rows).toEqual([{ n: 1 }])
})

test('twenty posts of one comment create one, counted once', async () => {
	const { id } = await makeQuestion(ben)
	const sending = { questionId: id, parentId: null, body: 'Once.', key: 'k-2' }
	const made = await Promise.all(Array.from({ length: 20 }, () => addComment(asha, sending)))
	expect(new Set(made.map((one) => one.id)).size).toBe(1)
	expect((await getQuestion(null, id)).commentCount).toBe(1)
})

test('a comment, its count, its key and its notification are written by one transaction, also where it notifies nobody', async () => {
	const writtenOn = async (asker: SignedIn, parentAuthor?: SignedIn) => {
		const { id: questionId } = await makeQuestion(asker)
		const parentId = parentAuthor ? await makeComment(parentAuthor, questionId) : null
		const { id } = await addComment(asha, { questionId, parentId, body: 'Together.', key: `k-on-${questionId}` })
		const { rows } = await sql`
			select count(*)::int as rows, count(distinct transaction)::int as transactions from (
				select xmin::text as transaction from comments where id = ${id}
				union all select xmin::text from questions where id = ${questionId} and comment_count > 0
				union all select xmin::text from sent_posts where key = ${`k-on-${questionId}`} and post_id = ${id}
				union all select xmin::text from notifications where subject_id = ${questionId} and part_id = ${id}) written`.execute(
			db(),
		)
		return rows[0]
	}
	expect(await writtenOn(ben)).toEqual({ rows: 4, transactions: 1 })
	expect(await writtenOn(asha)).toEqual({ rows: 3, transactions: 1 })
	expect(await writtenOn(asha, ben)).toEqual({ rows: 4, transactions: 1 })
})

test.each(['comments', 'notifications'])(
	'a comment of which the row of %s is refused leaves nothing and is announced to nobody',
	async (table) => {
		const { id: questionId } = await makeQuestion(ben)
		const sending = { questionId, parentId: null, body: 'All or nothing.', key: `k-fails-${table}` }
		await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'The disk has bad days.'; end $$`.execute(
			db(),
		)
		await sql`create trigger refuse before insert on ${sql.table(table)} for each row execute function refuse()`.execute(
			db(),
		)
		const sent = vi.spyOn(io, 'to')
		try {
			await expect(addComment(asha, sending)).rejects.toThrow('bad days')
			expect(sent).not.toHaveBeenCalled()
		} finally {
			sent.mockRestore()
			await sql`drop function refuse cascade`.execute(db())
		}
		const { rows } = await sql`
			select comment_count as count, (select count(*)::int from comments where question_id = q.id) as comments,
				(select count(*)::int from notifications where subject_id = q.id) as notified,
				(select count(*)::int from sent_posts where key = ${sending.key}) as keys
			from questions q where id = ${questionId}`.execute(db())
		expect(rows).toEqual([{ count: 0, comments: 0, notified: 0, keys: 0 }])
		await addComment(asha, sending)
		expect((await getQuestion(null, questionId)).commentCount).toBe(1)
	},
)

test('the push to a browser of whom a comment notifies is queued by the transaction that writes the comment', async () => {
	const dina = await makeMember('dina')
	await sql`with session as (
			insert into sessions (user_id, token, expires_at) values (${dina.id}, 'dina', now() + interval '1 day') returning id)
		insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
		select ${dina.id}, id, 'https://push.example/dina', 'key', 'auth' from session`.execute(db())
	const { id: questionId } = await makeQuestion(dina)
	const id = await makeComment(asha, questionId)
	const { rows } = await sql`
		select job.xmin = c.xmin as together from graphile_worker._private_jobs job
			join notifications n on n.id = (job.payload ->> 'about')::int and n.part_id = ${id}, comments c
		where c.id = ${id} and job.payload ->> 'subscription' is not null`.execute(db())
	expect(rows).toEqual([{ together: true }])
})

test('an idempotency key belongs to its sender, and without one every request creates a post', async () => {
	const [mine, theirs] = [
		await askQuestion(asha, { ...texts, key: 'k-3' }),
		await askQuestion(ben, { ...texts, key: 'k-3' }),
	]
	const [one, other] = [await askQuestion(ben, texts), await askQuestion(ben, { ...texts, key: '' })]
	expect(new Set([mine.id, theirs.id, one.id, other.id]).size).toBe(4)
})

test('a used key with another text, or for another query, is refused and changes nothing', async () => {
	const [question, elsewhere] = [await makeQuestion(ben), await makeQuestion(ben)]
	const sending = { questionId: question.id, parentId: null, body: 'First.', key: 'k-4' }
	await addComment(asha, sending)
	await expect(addComment(asha, { ...sending, body: 'Second.' })).rejects.toThrow(KeyReused)
	await expect(addComment(asha, { ...sending, questionId: elsewhere.id })).rejects.toThrow(KeyReused)
	expect([
		(await getQuestion(null, question.id)).commentCount,
		(await getQuestion(null, elsewhere.id)).commentCount,
	]).toEqual([1, 0])
})

test('a repeated post returns the first one also after its category was renamed and archived', async () => {
	const sent = { ...texts, category: 'java', key: 'k-6' }
	const first = await askQuestion(asha, sent)
	await sql`with old as (update categories set slug = 'jvm', archived_at = now() where slug = 'java' returning id)
		insert into former_slugs (slug, category_id) select 'java', id from old`.execute(db())
	expect(await askQuestion(asha, sent)).toEqual(first)
	await expect(askQuestion(asha, { ...sent, key: 'k-7' })).rejects.toThrow(Invalid)
})

test('a refused post does not use up its key', async () => {
	const { id } = await makeQuestion(ben)
	const deleted = await makeComment(ben, id)
	await deleteComment(ben, deleted)
	const elsewhere = await makeComment(ben, (await makeQuestion(ben)).id)
	for (const parentId of [deleted, elsewhere])
		await expect(addComment(asha, { questionId: id, parentId, body: 'Gone?', key: 'k-5' })).rejects.toThrow(NotFound)
	await addComment(asha, { questionId: id, parentId: null, body: 'Then here.', key: 'k-5' })
	expect((await getQuestion(null, id)).commentCount).toBe(1)
})

test.each([['two words'], ['x'.repeat(101)], [7]])('%j is no key', async (key) => {
	await expect(askQuestion(asha, { ...texts, key })).rejects.toThrow(Invalid)
})

test('a key expires after a day, when its author posts again', async () => {
	const cleo = await makeMember('cleo')
	await askQuestion(cleo, { ...texts, key: 'old' })
	await sql`update sent_posts set sent_at = now() - interval '25 hours' where author_id = ${cleo.id}`.execute(db())
	await askQuestion(cleo, { ...texts, key: 'new' })
	const { rows } = await sql<{ key: string }>`select key from sent_posts where author_id = ${cleo.id}`.execute(db())
	expect(rows).toEqual([{ key: 'new' }])
})

test('with Idempotency-Key, a program’s second call returns what the first one created', async () => {
	const { token } = await makeToken(asha, { name: 'test', scopes: ['read', 'write'], days: 7 })
	const headers = { 'Idempotency-Key': 'a1b2' }
	const ask = (title: string) => callApi('POST', '/queries', { token, body: { ...texts, title }, headers })
	const [first, second] = [await ask('From a program, once'), await ask('From a program, once')]
	expect([first.status, second.status]).toEqual([201, 201])
	expect(second.headers.get('Location')).toBe(first.headers.get('Location'))
	expect((await ask('From a program, twice')).status).toBe(422)
	const query = ((await first.json()) as { id: number }).id
	const comment = () =>
		callApi('POST', `/queries/${query}/comments`, {
			token,
			body: { body: 'Hi.' },
			headers: { 'Idempotency-Key': 'c3' },
		})
	expect(await (await comment()).json()).toEqual(await (await comment()).json())
})
