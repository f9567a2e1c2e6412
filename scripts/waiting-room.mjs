// `node scripts/waiting-room.mjs --port 2999 --node 3000 [--node HOST:PORT …] [--wait SECONDS]`: keeps connections while no node of the site listens, and passes
// them on to the first that does. nginx uses it when no node is available (`backup`), so that a restart is a wait instead of an error. Plain JavaScript
// without imports from the site: it needs no installation, and survives every update.
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

/** Maximum seconds that a connection waits: less than nginx's timeout of 60, whose error page would be shown. */
const MAX_WAIT = '55'
/** Maximum waiting connections: a tab of each of 5,000 members, and requests. nginx itself keeps no more. */
const MAX_WAITING = 8_000
/** Bytes that are read from a waiting connection; the rest stays in the network. */
const MAX_KEPT_BYTES = 65_536
/** Milliseconds between two checks for a node, and to wait for one that does not answer. */
const LOOK_MS = 100
const CONNECT_MS = 1_000

const { values } = parseArgs({
	options: {
		host: { type: 'string', default: '127.0.0.1' },
		port: { type: 'string', default: '2999' },
		wait: { type: 'string', default: MAX_WAIT },
		node: { type: 'string', multiple: true, default: ['3000'] },
	},
})
const nodes = values.node.map((address) => {
	const [, host = '127.0.0.1', port] = /^(?:(.+):)?(\d+)$/.exec(address) ?? []
	if (!port) throw new Error(`--node takes PORT or HOST:PORT, and not ${address}.`)
	return { host, port: Number(port) }
})

/** Waiting connections, with the bytes received so far. */
const waiting = new Map()
let isLooking = false

const server = createServer({ noDelay: true }, enter)
server.once('error', stop)
server.listen(Number(values.port), values.host, () => {
	server.off('error', stop)
	process.stdout.write(
		`The waiting room of ${values.node.join(', ')} is open:  ${values.host}:${server.address().port}\n`,
	)
})
// When started by another script, it ends with that script.
process.on('disconnect', () => process.exit(0))

/** Ends the process, as the address cannot be opened. */
function stop({ code, message }) {
	const { host, port } = values
	process.stderr.write(
		code === 'EADDRINUSE'
			? `Port ${port} is taken by another program. Stop that one, or set --port to another number.\n`
			: `--host ${host} and --port ${port} cannot be opened: ${message}.\n`,
	)
	process.exit(1)
}

function enter(visitor) {
	// `close` follows, and is handled.
	visitor.on('error', () => {})
	if (waiting.size >= MAX_WAITING) return refuse(visitor)
	const kept = []
	let size = 0
	const keep = (chunk) => {
		kept.push(chunk)
		size += chunk.length
		if (size > MAX_KEPT_BYTES) visitor.pause()
	}
	const timer = setTimeout(() => waiting.has(visitor) && refuse(visitor), Number(values.wait) * 1_000)
	waiting.set(visitor, () => {
		clearTimeout(timer)
		visitor.off('data', keep).pause()
		if (size > 0) visitor.unshift(Buffer.concat(kept))
	})
	visitor.on('data', keep)
	for (const event of ['end', 'close'])
		visitor.once(event, () => {
			clearTimeout(timer)
			waiting.delete(visitor)
		})
	void look()
}

/** Checks for a node until no connection waits any more. */
async function look() {
	if (isLooking) return
	isLooking = true
	while (waiting.size > 0) {
		const node = await Promise.any(nodes.map(listens)).catch(() => null)
		if (node) await Promise.all([...waiting.keys()].map((visitor) => pass(visitor, node)))
		else await sleep(LOOK_MS)
	}
	isLooking = false
}

/** @returns the node, once it has accepted a connection @throws Error when it does not */
async function listens(node) {
	const socket = await reach(node)
	socket.destroy()
	return node
}

/** Forwards a waiting connection to a node; it waits on if the node has stopped again. */
async function pass(visitor, node) {
	const onward = await reach(node).catch(() => null)
	const begin = waiting.get(visitor)
	// Either connection was closed or refused meanwhile.
	if (!onward || !begin) return void onward?.destroy()
	waiting.delete(visitor)
	begin()
	visitor.pipe(onward).pipe(visitor)
	visitor.once('close', () => onward.destroySoon())
	onward.once('close', () => visitor.destroySoon())
}

/** A connection to a node. @throws Error when nothing listens there */
function reach({ host, port }) {
	return new Promise((resolve, reject) => {
		const socket = connect({ host, port, noDelay: true })
		const timer = setTimeout(() => socket.destroy(new Error(`${host}:${port} does not answer.`)), CONNECT_MS)
		socket.on('error', reject)
		socket.once('connect', () => resolve(socket))
		for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
	})
}

function refuse(visitor) {
	waiting.delete(visitor)
	const words = 'The site is being restarted and cannot answer yet. Please try again in a minute.\n'
	visitor.end(
		`HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${words.length}\r\nConnection: close\r\n\r\n${words}`,
	)
	visitor.destroySoon()
}
