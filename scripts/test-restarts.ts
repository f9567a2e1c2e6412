/*
 * `npm run test:restarts -- [--rounds 7]`: restarts each of three nodes behind nginx this many times, one by one, while visitors
 * read and members write to each other. `npm test` does one round. Needs nginx and redis-server.
 */
import { parseArgs } from 'node:util'
import { buildWhenOld, stop } from './support/install.mjs'
import { findProgram } from './support/programs.ts'
import { TestRuns } from './support/test-runs.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
if (!/^[1-9]\d{0,2}$/.test(values.rounds)) stop('--rounds takes a whole number from 1 to 999.')
for (const program of ['nginx', 'redis-server'])
	if (!findProgram(program))
		stop(`This needs ${program}, which is not installed. On Debian: apt-get install ${program}`)

buildWhenOld(process.execPath)
const runs = new TestRuns()
await runs.vitest(['tests/process/rolling-restarts'], { RESTART_ROUNDS: values.rounds })
process.exit(runs.finish())
