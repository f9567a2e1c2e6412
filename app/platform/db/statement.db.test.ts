import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { useDatabase } from '../../../tests/support/database.ts'
import { db } from './db.server.ts'
import { statement, type Value } from './statement.server.ts'
import { pipelinedTransaction } from './transaction.server.ts'

useDatabase()

test('a statement is built once, and executed with the values of each call, in any order', async () => {
	const build = vi.fn(
		(text: Value<string>, numbers: Value<(number | null)[]>) =>
			sql<{ text: string; sum: number }>`
			select ${text}::text || ${'!'} || ${text} as text, (select sum(n) from unnest(${numbers}::int[]) n)::int + ${10} as sum`,
	)
	const run = statement((text: Value<string>, numbers: Value<(number | null)[]>) => build(text, numbers))
	const together = await Promise.all([run(db(), 'a', [1, 2]), run(db(), "b'", [3, null])])
	expect(together).toEqual([[{ text: 'a!a', sum: 13 }], [{ text: "b'!b'", sum: 13 }]])
	expect(await pipelinedTransaction((trx, last) => last(run(trx, 'c', [4])))).toEqual([{ text: 'c!c', sum: 14 }])
	expect(build).toHaveBeenCalledTimes(1)
})

test('a statement that failed can be executed again', async () => {
	const divide = statement((by: Value<number>) => sql<{ result: number }>`select 12 / ${by}::int as result`)
	await expect(divide(db(), 0)).rejects.toThrow('division by zero')
	expect(await divide(db(), 4)).toEqual([{ result: 3 }])
})
