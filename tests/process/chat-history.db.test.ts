import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, test } from 'vitest'
import { freePort } from '../../scripts/support/free-ports.ts'
import { ChatRun, isLongRun, seed } from '../support/chat-run.ts'
import { useDatabase } from '../support/database.ts'
import { startOnTestDatabase } from '../support/members-site.ts'

useDatabase()

const kills = isLongRun ? 50 : 10
/** The minimum number of messages; about twice as many are sent. */
const minMessages = kills * 16
/** Per member between two kills, a little more than an idle machine can do. */
const maxActs = 1.5

test(`ten pairs write while the server is killed ${kills} times: nothing lost, doubled or out of order (CHAT_HISTORY_SEED=${seed})`, async () => {
	const run = new ChatRun()
	const port = String(await freePort())
	let site = await startOnTestDatabase(port)
	onTestFinished(() => site.stop())
	await run.meet(site, 10, () => site.url)
	run.begin(maxActs)
	for (let killed = 0; killed < kills; killed += 1) {
		await sleep(200 + run.random() * 1_400)
		await site.kill()
		// Half of the writes meet a dead server, and half a running one, however long a start takes.
		run.allowActs(maxActs / 2)
		site = await startOnTestDatabase(port)
		run.allowActs(maxActs / 2)
	}
	run.end()
	await run.judge(minMessages)
}, 600_000)
