/*
 * `npm run test:histories -- --seeds N [--from SEED]`: the history checkers of the chat and of the forum with N seeds, one after the
 * other. `npm test` runs them with one fixed seed.
 */
import { parseArgs } from 'node:util'
import { buildWhenOld, stop } from './support/install.mjs'
import { TestRuns } from './support/test-runs.ts'

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '1' }, from: { type: 'string' } } })
const [count, first] = [Number(values.seeds), Number(values.from ?? Date.now() % 1_000_000)]
if (!Number.isInteger(count) || count < 1) stop('--seeds takes a whole number from 1.')
if (!Number.isInteger(first) || first < 0) stop('--from takes a whole number from 0.')

buildWhenOld(process.execPath)
const runs = new TestRuns()
for (let seed = first; seed < first + count; seed += 1) {
	process.stdout.write(`\nSeed ${seed}, ${seed - first + 1} of ${count}\n`)
	const env = { CHAT_HISTORY_SEED: String(seed), FORUM_HISTORY_SEED: String(seed) }
	await runs.vitest(['tests/process/chat-history', 'tests/conversation-history', 'tests/forum-history'], env)
}
process.exit(runs.finish())
