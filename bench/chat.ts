// npm run bench:chat [-- --only delivery|rate|sockets|storm]: latency, throughput and cost of the chat, on the built site with a durable
// database of its own. Clients and server share the machine, so all numbers include the cost of the clients.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { delivery } from './chat/delivery.ts'
import { highestRate } from './chat/rate.ts'
import { stopSites } from './chat/site.ts'
import { manySockets } from './chat/sockets.ts'
import { measureReconnects } from './chat/storm.ts'
import { saveResult } from './results.ts'

const sections: Record<string, () => Promise<string>> = {
	delivery: () => delivery([1, 200]),
	rate: highestRate,
	sockets: () => manySockets(12_000),
	storm: () => measureReconnects(2_000),
}

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values
if (only !== undefined && !sections[only]) {
	process.stderr.write(`There is no such part. Choose one of: ${Object.keys(sections).join(', ')}.\n`)
	process.exit(1)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
	process.once(signal, () => void stopSites().finally(() => process.exit(1)))
process.stdout.write(`${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}\n`)
for (const [name, measure] of Object.entries(sections)) {
	if (only !== undefined && only !== name) continue
	const text = await measure()
	process.stdout.write(`\n${text}`)
	const day = new Date().toISOString().slice(0, 10)
	saveResult(
		`chat-${name}`,
		`${text}\n${day}, ${cpus().length} cores of a shared virtual machine, Node ${process.versions.node}.\n`,
	)
}
