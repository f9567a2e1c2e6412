// A child process: the minimal server that relays messages with the same libraries, as a baseline for the site.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { Server } from 'socket.io'
import { batchCalls } from '~/lib/batch-calls.ts'

export interface FloorCommand {
	/** Where each message is stored before it is relayed; null for nowhere. */
	database: pg.ClientConfig | null
}

process.on('disconnect', () => process.exit())
process.once('message', async ({ database }: FloorCommand) => {
	const store = database ? await openStore(database) : async () => {}
	const server = createServer()
	const io = new Server(server, { path: '/realtime', serveClient: false, transports: ['websocket'] })
	let passed = 0
	io.on('connection', (socket) => {
		// The cookie of these members is their username.
		const sender = socket.request.headers.cookie ?? ''
		void socket.join(sender)
		socket.on('chat:send', async ({ to, clientId, body }, answer: (sent: { ok: true }) => void) => {
			await store(body)
			passed += 1
			io.to(to).emit('chat:message', { with: sender, message: { id: passed, sender, clientId, body } })
			answer({ ok: true })
		})
	})
	server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})

/** @returns stores a text durably; concurrent ones share a commit, as messages of the site do */
async function openStore(database: pg.ClientConfig): Promise<(body: string) => Promise<unknown>> {
	const client = new pg.Client(database)
	await client.connect()
	await client.query('create table bench_floor (id int generated always as identity primary key, body text)')
	const text = 'insert into bench_floor (body) select unnest($1::text[])'
	return batchCalls(async (bodies: string[]) => {
		await client.query({ name: 'floor', text, values: [bodies] })
		return bodies
	})
}
