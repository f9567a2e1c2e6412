// A child process with the tabs of many members, controlled by its parent.
import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatMessage, SendResult } from '~/features/chat/chat.view.ts'
import type { Member } from './site.ts'
import { Tab } from './tab.ts'

export type Command =
	| { do: 'open'; members: Member[]; port: number; from: string }
	| { do: 'write'; rate: number; seconds: number }
	| { do: 'cut'; after: [number, number] }

export interface OpenResult {
	milliseconds: number
}

/** Latencies in milliseconds, unsorted. */
export interface WriteResult {
	sent: number
	delivered: Float64Array
	acknowledged: Float64Array
	/** Messages that were refused. */
	failed: number
	/** Messages neither refused nor delivered within {@link TIMEOUT_MS}. */
	missing: number
	/** Processor seconds of this process. */
	processor: number
}

export interface ReconnectResult {
	/** Milliseconds from the disconnection until the last tab was reconnected, and until the last one had caught up. */
	connected: number
	caughtUp: number
	/** Retries. */
	repeated: number
}

interface Person extends Member {
	tab: Tab
	/** The time of the last read receipt. */
	marked: number
}

/** Tabs that connect concurrently. */
const atOnce = 50
/** Milliseconds after which a message counts as lost. */
const TIMEOUT_MS = 10_000
/** Minimum milliseconds between two read receipts of a tab, as in the product's client. */
const markEvery = 1_000
const body = 'A message of usual length, as people write them to each other.'

const people: Person[] = []
let server = 0

process.on('message', (command: Command) => {
	obey(command)
		.then((value) => process.send?.({ ok: true, value }))
		.catch((error: Error) => process.send?.({ ok: false, reason: error.message }))
})
process.on('disconnect', () => process.exit())

async function obey(command: Command): Promise<OpenResult | WriteResult | ReconnectResult> {
	if (command.do === 'open') return open(command.members, command.port, command.from)
	return command.do === 'write' ? write(command.rate, command.seconds) : cut(command.after)
}

async function open(members: Member[], port: number, from: string): Promise<OpenResult> {
	server = port
	const began = performance.now()
	const added = members.map((member) => ({ ...member, tab: new Tab({ port, cookie: member.cookie, from }), marked: 0 }))
	people.push(...added)
	const queue = added.values()
	await Promise.all(
		Array.from({ length: atOnce }, async () => {
			for (const { tab } of queue) await tab.connect()
		}),
	)
	return { milliseconds: performance.now() - began }
}

async function write(rate: number, seconds: number): Promise<WriteResult> {
	const under = new Map<string, number>()
	const delivered: number[] = []
	const acknowledged: number[] = []
	let sent = 0
	let failed = 0
	for (const person of people) {
		person.tab.heard.set('chat:message', (event) => {
			const { message } = event as { message: ChatMessage }
			if (message.sender === person.username) return
			const began = under.get(message.clientId)
			if (began !== undefined) delivered.push(performance.now() - began)
			under.delete(message.clientId)
			mark(person, message.id)
		})
	}
	const processor = process.cpuUsage()
	const start = performance.now()
	// At a fixed rate, whether or not earlier messages were acknowledged.
	for (const end = start + seconds * 1_000; performance.now() < end; await sleep(1)) {
		for (; sent < ((performance.now() - start) / 1_000) * rate; sent += 1) {
			const { tab, peer } = turnOf(sent)
			const clientId = randomUUID()
			const began = performance.now()
			under.set(clientId, began)
			tab.ask('chat:send', { to: peer, clientId, body }, (answer) => {
				if ((answer as SendResult).ok) acknowledged.push(performance.now() - began)
				else if (under.delete(clientId)) failed += 1
			})
		}
	}
	for (const end = performance.now() + TIMEOUT_MS; under.size > 0 && performance.now() < end; ) await sleep(10)
	const { user, system } = process.cpuUsage(processor)
	return {
		sent,
		delivered: Float64Array.from(delivered),
		acknowledged: Float64Array.from(acknowledged),
		failed,
		missing: under.size,
		processor: (user + system) / 1e6,
	}
}

/** The members of a pair take turns. */
function turnOf(number: number): Person {
	const place = number % people.length
	const half = people.length / 2
	return people[place < half ? place * 2 : (place - half) * 2 + 1] as Person
}

/** Sends a read receipt, as a tab does that shows the conversation. */
function mark(person: Person, upTo: number): void {
	const now = performance.now()
	if (now - person.marked < markEvery) return
	person.marked = now
	person.tab.say('chat:seen', { with: person.peer, upTo, read: true })
}

async function cut([least, most]: [number, number]): Promise<ReconnectResult> {
	const began = performance.now()
	let connected = 0
	let repeated = 0
	for (const { tab } of people) tab.cut()
	await Promise.all(
		people.map(async ({ tab, cookie, peer }) => {
			await sleep(least + Math.random() * (most - least))
			repeated += await untilDone(() => tab.connect())
			connected = performance.now() - began
			repeated += await untilDone(() => catchUp(peer, cookie))
		}),
	)
	return { connected, caughtUp: performance.now() - began, repeated }
}

/** Retries with pauses of 1 s, 2 s, … as the product's client does. @returns the number of retries */
async function untilDone(work: () => Promise<unknown>): Promise<number> {
	for (let failures = 0; ; failures += 1) {
		try {
			await work()
			return failures
		} catch {
			await sleep(Math.min(5_000, 1_000 * 2 ** failures) * (0.5 + Math.random()))
		}
	}
}

/** Loads the whole conversation over a new connection, as each browser has its own. @throws Error */
async function catchUp(peer: string, cookie: string): Promise<void> {
	const answer = await new Promise<{ complete?: boolean; messages: unknown[] }>((resolve, reject) => {
		const path = `/messages/${peer}/history?since=0`
		get({ host: '127.0.0.1', port: server, path, agent: false, headers: { Cookie: cookie } }, (response) => {
			if (response.statusCode === 200) json(response).then(resolve as (value: unknown) => void, reject)
			else reject(new Error(`The conversation answered ${response.statusCode}.`))
		}).on('error', reject)
	})
	if (!answer.complete || answer.messages.length === 0) throw new Error('Something of the conversation is missing.')
}
