import { expect, test } from 'vitest'
import { Unavailable } from '~/lib/errors.ts'
import { withoutDatabase } from '~/platform/db/scope.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { BatchRun } from './batch-run.server.ts'

useDatabase()

test('a batch that cannot begin fails as a whole, also after one whose item failed', async () => {
	const run = new BatchRun('an item could not be processed')
	const fail = () => Promise.reject(new Error('broken'))
	expect(await run.batch(() => run.of(7, fail))).toBeUndefined()
	const away = new Unavailable('The database is away.')
	await expect(withoutDatabase(away, () => run.batch(async () => 'done'))).rejects.toBe(away)
	expect(run.failed).toEqual([7])
	expect(await run.batch(async () => 'done')).toBe('done')
	expect(() => run.finish()).toThrow('broken')
})
