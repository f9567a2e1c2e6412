import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
	listPairStates,
	listSending,
	lockConversation,
	lockConversationsWith,
} from '~/features/conversations/conversations.queries.server.ts'
import { setBlocked, setChatSettings } from '~/features/conversations/conversations.server.ts'
import { writeSeen } from '~/features/conversations/receipts.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor, pool } from '~/platform/db/db.server.ts'
import { pipelinedTransaction } from '~/platform/db/transaction.server.ts'
import { findBrokenFigures, makeConversation, makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { makeSession } from '../../../../tests/factories/presence.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { eventually } from '../../../../tests/support/eventually.ts'
import { chatLimits } from '../chat.view.ts'
import { insertMessages } from './messages.queries.server.ts'
import { markSeen } from './reading.server.ts'
import { sendMessage } from './sending.server.ts'
import { storeMessage } from './storing.server.ts'

useDatabase()

type Pair = [SignedIn, SignedIn]

let serial = 0

beforeEach(async () => {
	await passTime()
})

afterEach(async () => expect(await findBrokenFigures()).toEqual([]))

/** Pairs of members who have written to each other. */
async function makePairs(count: number): Promise<Pair[]> {
	const pairs: Pair[] = []
	for (let made = 0; made < count; made += 1) {
		serial += 1
		const pair: Pair = [await makeMember(`one${serial}`), await makeMember(`two${serial}`)]
		await makeConversation(...pair)
		pairs.push(pair)
	}
	await passTime()
	return pairs
}

const messageTo = (peer: { username: string }, body = 'Hello') => ({ to: peer.username, clientId: randomUUID(), body })

/** The transactions that stored messages with this text, with their numbers of messages. */
async function transactionsOf(body: string): Promise<number[]> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from messages where body = ${body} group by xmin::text order by count desc`.execute(
		db(),
	)
	return rows.map(({ count }) => count)
}

/** How many rows of tables this connection has read and not reported yet. */
async function countRead(trx: Executor): Promise<number> {
	const { rows } = await sql<{ read: number }>`
		select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables`.execute(
		trx,
	)
	return rows[0]?.read ?? 0
}

/** Makes PostgreSQL run something whenever messages with this text are stored. */
async function whenStored(body: string, act: RawBuilder<unknown>): Promise<() => Promise<void>> {
	const act$ = sql`create or replace function trial() returns trigger language plpgsql as $$ begin ${act}; return new; end $$`
	await act$.execute(db())
	await sql`create trigger trial before insert on messages for each row when (new.body = ${sql.lit(body)}) execute function trial()`.execute(
		db(),
	)
	return async () => {
		await sql`drop trigger trial on messages`.execute(db())
	}
}

describe('concurrent messages', () => {
	test('invalid messages are each refused for their own reason, and the others share a transaction', async () => {
		const good = await makePairs(10)
		const bad = await makePairs(8)
		const [blocked, imported, suspended, ended, fast, repeated, elsewhere, held] = bad as [
			Pair,
			Pair,
			Pair,
			Pair,
			Pair,
			Pair,
			Pair,
			Pair,
		]
		const [stranger, other] = [await makeMember('stranger'), await makeMember('other')]
		await setBlocked(blocked[0], blocked[1].username, true)
		await sql`update users set imported = true where id = ${imported[1].id}`.execute(db())
		await sql`update users set suspended_until = 'infinity' where id = ${suspended[0].id}`.execute(db())
		for (let sent = 0; sent < 30; sent += 1) await makeMessage(fast[0], fast[1])
		const [before, mine] = [messageTo(repeated[1], 'Before'), messageTo(elsewhere[1], 'Before')]
		const [first] = [await sendMessage(repeated[0], before), await sendMessage(elsewhere[0], mine)]
		for (let sent = 0; sent < 3; sent += 1) await makeMessage(stranger, other)
		const session = await makeSession(suspended[0].id)
		const [pairState] = await listPairStates(db(), [{ userId: held[0].id, username: held[1].username }])

		const body = 'Together'
		// Within an object, so that the transaction commits without waiting for the promise.
		const { sent: all } = await pipelinedTransaction(async (trx) => {
			await lockConversation(trx, pairState?.id ?? 0)
			const sent = Promise.allSettled([
				...good.slice(0, 5).map(([one, two]) => sendMessage(one, messageTo(two, body))),
				sendMessage(blocked[0], messageTo(blocked[1], body)),
				sendMessage(imported[0], messageTo(imported[1], body)),
				sendMessage(suspended[0], messageTo(suspended[1], body)),
				sendMessage(ended[0], messageTo(ended[1], body), session),
				sendMessage(fast[0], messageTo(fast[1], body)),
				sendMessage(repeated[0], { ...before, body }),
				sendMessage(elsewhere[0], { ...mine, to: other.username, body }),
				sendMessage(stranger, messageTo(other, body)),
				sendMessage(other, messageTo({ username: 'nobody-is-called-so' }, body)),
				sendMessage(held[0], messageTo(held[1], body)),
				...good.slice(5).map(([one, two]) => sendMessage(one, messageTo(two, body))),
			])
			// A message that waits for a lock does not delay others.
			await eventually(async () => expect(await transactionsOf(body)).toEqual([10]))
			return { sent }
		})
		const outcomes = (await all).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))
		expect(outcomes.slice(5, 14)).toEqual([
			`You blocked ${blocked[1].name}. Unblock to write.`,
			`${imported[1].name} cannot receive messages.`,
			'You are permanently suspended and cannot post here.',
			'You were logged out. Log in again, and your messages will be sent.',
			'You are sending very fast. This message will be sent in a moment.',
			first,
			'This message was sent to somebody else before.',
			'You can write again once Other has answered.',
			'There is nobody here to write to.',
		])
		for (const stored of [...outcomes.slice(0, 5), ...outcomes.slice(14)]) expect(stored).toMatchObject({ body })
		expect(await transactionsOf(body)).toEqual([10, 1])
	})

	test('a message that the database refuses fails alone', async () => {
		const pairs = await makePairs(5)
		const drop = await whenStored('Poison', sql`raise exception 'not this one'`)
		const sent = await Promise.allSettled(
			pairs.map(([one, two], index) => sendMessage(one, messageTo(two, index === 2 ? 'Poison' : 'Beside it'))),
		)
		await drop()
		expect(sent.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true])
	})

	test('a connection that is lost midway stores nothing, and each message is stored once when resent', async () => {
		const pairs = await makePairs(20)
		const messages = pairs.map(([one, two], index) => ({
			from: one,
			message: messageTo(two, index === 10 ? 'Fatal' : 'Around it'),
		}))
		const sendAll = () => Promise.allSettled(messages.map(({ from, message }) => sendMessage(from, message)))
		const drop = await whenStored('Fatal', sql`perform pg_terminate_backend(pg_backend_pid())`)
		expect((await sendAll()).map(({ status }) => status)).toEqual(pairs.map(() => 'rejected'))
		expect(await transactionsOf('Around it')).toEqual([])
		await eventually(() => drop())
		await eventually(async () =>
			expect((await sendAll()).map(({ status }) => status)).toEqual(pairs.map(() => 'fulfilled')),
		)
		expect((await transactionsOf('Around it')).reduce((sum, count) => sum + count, 0)).toBe(19)
		expect(await transactionsOf('Fatal')).toEqual([1])
	})

	test('messages of one member are stored in the order in which they were sent', async () => {
		const [[one, two]] = (await makePairs(1)) as [Pair]
		const sent = await Promise.all(
			Array.from({ length: 20 }, (_, index) => sendMessage(one, messageTo(two, `${index}`))),
		)
		expect(sent.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, index) => index + 3))
	})

	test('two processes with overlapping batches store everything, without a deadlock', async () => {
		const pairs = await makePairs(20)
		vi.resetModules()
		// A second queue on the same database, like that of another process.
		const other: { storeMessage: typeof storeMessage } = await import('./storing.server.ts')
		expect(other.storeMessage).not.toBe(storeMessage)
		const store = (send: typeof storeMessage, [one, two]: Pair) =>
			send({ sender: one, ...messageTo(two, 'Crossing'), html: '', pictures: [], sessionId: null, to: two.username })
		const backwards = pairs.map(([one, two]): Pair => [two, one]).reverse()
		for (let round = 0; round < 5; round += 1)
			await Promise.all([
				...pairs.map((pair) => store(storeMessage, pair)),
				...backwards.map((pair) => store(other.storeMessage, pair)),
			])
		expect((await transactionsOf('Crossing')).reduce((sum, count) => sum + count, 0)).toBe(200)
	})
})

test('the number of statements does not depend on the number of senders or readers', async () => {
	const pairs = await makePairs(100)
	for (const [, two] of pairs) await setChatSettings(two, { accepts: 'members' })
	const query = vi.spyOn(pg.Client.prototype, 'query')
	const statements = async (work: () => Promise<unknown>) => {
		query.mockClear()
		await work()
		return query.mock.calls.length
	}
	const [sending, reading]: [number[], number[]] = [[], []]
	for (const count of [1, 10, 100]) {
		const some = pairs.slice(0, count)
		sending.push(await statements(() => Promise.all(some.map(([one, two]) => sendMessage(one, messageTo(two))))))
		const events = some.map(([one, two]) => markSeen(two, { with: one.username, upTo: 2 ** 31 - 1, read: true }))
		reading.push(await statements(() => Promise.all(events)))
	}
	query.mockRestore()
	// Eight, including the announcements to both and the lookup of browsers of absent members; a newly opened connection
	// would add some.
	expect(sending).toEqual([8, 8, 8])
	expect(reading).toEqual([6, 6, 6])
	expect(pool().totalCount).toBeLessThanOrEqual(10)

	// Nor does the number of rows read depend on the number of conversations: a scan from the beginning would read all of
	// them.
	await sql`vacuum analyze users, conversations, conversation_members, messages`.execute(db())
	const [one, two] = pairs.at(-1) as Pair
	const read = await pipelinedTransaction(async (trx) => {
		const before = await countRead(trx)
		const of = [{ userId: one.id, username: two.username, clientId: randomUUID() }]
		const [conversationId = 0] = await lockConversationsWith(trx, of, { skipLocked: true })
		await listSending(trx, of, chatLimits.burst)
		const words = { clientId: randomUUID(), body: 'Hello', html: '<p>Hello</p>', pictures: [], unseen: false }
		const stored = await insertMessages(trx, [{ ...words, conversationId, senderId: one.id, peerId: two.id }])
		const { id: upTo = 0 } = stored.get(conversationId) ?? {}
		expect(await writeSeen(trx, [{ conversationId, userId: two.id, upTo, read: true }])).toMatchObject([{ unread: 0 }])
		return (await countRead(trx)) - before
	})
	expect(read).toBeLessThan(40)
})
