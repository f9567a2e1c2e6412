import { expect, test } from 'vitest'
import { hasServers } from '../support/cluster.ts'
import { countFailed, type LoadFigures } from './load.ts'
import { stopEachNode, stopEachWorker, stopTheProcess } from './orderly-stop.ts'

/* Three rounds of orderly stops under load; faster tests are in tests/process/orderly-stop.test.ts. */

const rounds = 3

test('each of four workers is stopped: no request fails', async () => {
	expect(outcomes(await stopEachWorker(rounds))).toEqual(Array(rounds).fill({ failed: {}, refused: 0 }))
})

test.skipIf(!hasServers)(
	'each of three nodes behind nginx is stopped: no request fails (needs nginx and redis-server)',
	async () => {
		expect(outcomes(await stopEachNode(rounds))).toEqual(Array(rounds).fill({ failed: {}, refused: 0 }))
	},
)

test('a site of one process is stopped and started again: whoever reached it is answered', async () => {
	const figures = await stopTheProcess(rounds)
	process.stdout.write(`${JSON.stringify(figures)}\n`)
	// A connection made in the millisecond in which the port closes is too late.
	expect(figures.reduce((sum, one) => sum + countFailed(one), 0)).toBeLessThanOrEqual(1)
})

function outcomes(figures: LoadFigures[]): Pick<LoadFigures, 'failed' | 'refused'>[] {
	process.stdout.write(`${JSON.stringify(figures)}\n`)
	return figures.map(({ failed, refused }) => ({ failed, refused }))
}
