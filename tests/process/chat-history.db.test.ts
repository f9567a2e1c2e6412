import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findBrokenFigures } from '../factories/chat.ts'
import { findBroken } from '../support/chat-history.ts'
import { ChatMember } from '../support/chat-members.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { freePort } from '../support/site-process.ts'

useDatabase()

const kills = 10
const pairs = 4

/** A run can be had again: what is random comes from this. */
const seed = Number(process.env.CHAT_HISTORY_SEED ?? Date.now() % 100_000)

test(`members write while the server is killed ${kills} times: nothing lost, doubled or out of order (seed ${seed})`, async () => {
	const random = randomFrom(seed)
	const port = String(await freePort())
	let site = await startOnTestDatabase(port)
	const members = await Promise.all(Array.from({ length: pairs }, (_, index) => meet(site, index)))
	const all = members.flat()
	const stop = keepWriting(all, random)
	for (let killed = 0; killed < kills; killed += 1) {
		await sleep(200 + random() * 1_000)
		await site.kill()
		site = await startOnTestDatabase(port)
	}
	await sleep(500)
	stop()
	await Promise.all(all.map((member) => member.settle()))
	const views = [...all.map(({ view }) => view), ...(await Promise.all(all.map((member) => member.readPages())))]
	const written = all.map((member) => member.written)
	for (const member of all) member.leave()
	await site.stop()
	expect(findBroken(written, views)).toEqual([])
	expect(await findBrokenFigures()).toEqual([])
	// The run means something only if much was written, and everything was acknowledged in the end.
	const messages = written.flatMap((one) => one.messages)
	expect(messages.length).toBeGreaterThan(100)
	expect(messages.filter(({ acknowledged }) => acknowledged === null)).toEqual([])
}, 180_000)

/** Two members who have written to each other, each at a device. */
async function meet(site: MembersSite, index: number): Promise<[ChatMember, ChatMember]> {
	const [from, to] = [`one-${index}`, `other-${index}`]
	const mine = await logInMember(site, from)
	const theirs = await logInMember(site, to)
	const one = new ChatMember({ url: site.url, cookie: mine.cookie, from, to })
	const other = new ChatMember({ url: site.url, cookie: theirs.cookie, from: to, to: from })
	one.write('Hello.')
	await one.settle()
	other.write('Hello to you.')
	await other.settle()
	return [one, other]
}

/** Has everybody write at random moments, two or three times a second, read, and lose the network. @returns ends that */
function keepWriting(members: ChatMember[], random: () => number): () => void {
	let count = 0
	const timers = members.map((member) =>
		setInterval(
			() => {
				count += 1
				member.write(`message ${count}`)
				if (random() < 0.3) member.read()
				if (random() < 0.03) member.cut()
			},
			350 + random() * 150,
		),
	)
	return () => {
		for (const timer of timers) clearInterval(timer)
	}
}

/** Numbers between 0 and 1 that are the same for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
	let state = start
	return () => {
		state = (state + 0x6d2b79f5) | 0
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
	}
}
