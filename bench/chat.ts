// npm run bench:chat [-- PAIRS…]: how long a message takes from one member to the other, on the built site with its own
// durable database. Members and server share the machine, so what the members cost is in every figure.
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { io, type Socket } from 'socket.io-client'
import type { ChatMessage, SendAnswer } from '~/realtime/chat-events.ts'
import { type SiteProcess, startSite } from '../tests/support/site-process.ts'

const sizes = process.argv.slice(2).map(Number).filter(Number.isSafeInteger)
const steps = sizes.length > 0 ? sizes : [1, 200]
/** Each member of a pair writes at this pace, taking turns: one message a second for each pair. */
const everyMilliseconds = 2_000
const warmSeconds = 5
const seconds = 30
const secret = 'a secret that only this run knows of'
const dataDir = mkdtempSync(join(tmpdir(), 'devquad-bench-chat-'))

interface Member {
	username: string
	peer: string
	socket: Socket
}

interface Times {
	delivered: number[]
	acknowledged: number[]
	failed: number
}

try {
	const site = await startSite({ DATA_DIR: dataDir, SEED: 'none', AUTH_SECRET: secret })
	try {
		process.stdout.write(`${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}\n`)
		for (const pairs of steps) await measure(site, pairs)
	} finally {
		await site.stop()
	}
} finally {
	rmSync(dataDir, { recursive: true, force: true })
}

async function measure(site: SiteProcess, pairs: number): Promise<void> {
	const before = residentMegabytes(site)
	const members = await connectMembers(site.url, pairs)
	const connected = residentMegabytes(site)
	await write(members, warmSeconds)
	const { delivered, acknowledged, failed } = await write(members, seconds)
	for (const { socket } of members) socket.disconnect()
	const words = [
		`${pairs} pairs, ${Math.round(delivered.length / seconds)} messages/s for ${seconds} s`,
		`delivered p50 ${at(delivered, 0.5)} ms, p99 ${at(delivered, 0.99)} ms, longest ${at(delivered, 1)} ms`,
		`acknowledged p50 ${at(acknowledged, 0.5)} ms, p99 ${at(acknowledged, 0.99)} ms`,
		`failed ${failed}`,
		`memory ${before} MB, with the sockets ${connected} MB, at the end ${residentMegabytes(site)} MB`,
	]
	process.stdout.write(`${words.join('; ')}\n`)
}

/** Members who have written to each other before, each with an open tab. */
async function connectMembers(url: string, pairs: number): Promise<Member[]> {
	const host = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4]
	const client = new pg.Client({ host, user: 'devquad', database: 'devquad' })
	await client.connect()
	const members: Member[] = []
	for (let index = 0; index < pairs * 2; index += 1) {
		const username = `bench-${pairs}-${index}`
		const token = randomUUID()
		await client.query(
			`with added as (insert into users (username, name, email, created_at) values ($1, $1, $2, now() - interval '1 year') returning id)
			insert into sessions (user_id, token, expires_at) select id, $3, now() + interval '1 day' from added`,
			[username, `${username}@campus.example`, token],
		)
		const signature = createHmac('sha256', secret).update(token).digest('base64')
		const cookie = `session=${encodeURIComponent(`${token}.${signature}`)}`
		const socket = io(url, {
			path: '/realtime',
			transports: ['websocket'],
			forceNew: true,
			extraHeaders: { Cookie: cookie },
		})
		members.push({ username, peer: `bench-${pairs}-${index ^ 1}`, socket })
		await once(socket as unknown as NodeJS.EventEmitter, 'connect')
	}
	await client.end()
	for (const { peer, socket } of members) await send(socket, peer, 'Hello.')
	return members
}

async function write(members: Member[], forSeconds: number): Promise<Times> {
	const times: Times = { delivered: [], acknowledged: [], failed: 0 }
	const sent = new Map<string, number>()
	for (const { username, socket } of members) {
		socket.off('chat:message')
		socket.on('chat:message', ({ message }: { message: ChatMessage }) => {
			if (message.sender === username) return
			const began = sent.get(message.clientId)
			if (began !== undefined) times.delivered.push(performance.now() - began)
		})
	}
	const end = performance.now() + forSeconds * 1_000
	await Promise.all(
		members.map(async ({ peer, socket }, index) => {
			// Spread over the whole stretch, as people are.
			await sleep((index / members.length) * everyMilliseconds)
			while (performance.now() < end) {
				const began = performance.now()
				const answer = await send(
					socket,
					peer,
					'A message of usual length, as people write them to each other.',
					(id) => sent.set(id, began),
				)
				if (answer.ok) times.acknowledged.push(performance.now() - began)
				else times.failed += 1
				await sleep(Math.max(0, began + everyMilliseconds - performance.now()))
			}
		}),
	)
	await sleep(500)
	return times
}

function send(socket: Socket, to: string, body: string, about = (_id: string) => {}): Promise<SendAnswer> {
	const clientId = randomUUID()
	about(clientId)
	return socket.emitWithAck('chat:send', { to, clientId, body })
}

function at(times: number[], share: number): string {
	const sorted = Float64Array.from(times).sort()
	return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
}

function residentMegabytes({ child }: SiteProcess): number {
	const pages = readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]
	return Math.round((Number(pages) * 4_096) / 1_048_576)
}
