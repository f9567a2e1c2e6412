import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { findBrokenFigures } from '../factories/chat.ts'
import { findViolations } from './chat-history.ts'
import { ChatMember, type Place } from './chat-members.ts'
import { eventually } from './eventually.ts'
import { logInMember, type MembersSite } from './members-site.ts'
import { randomFrom } from './random.ts'

/*
 * A run of the chat for the history checker: pairs of members write, edit, delete, read, reload, lose their network and suspend their
 * devices at random, while a test breaks the system.
 */

/** The seed of a run, fixed so that a failure can be reproduced; `npm run test:histories -- --seeds N` sets others. */
export const seed = Number(process.env.CHAT_HISTORY_SEED ?? 20_261)

/** Whether this is a run of `npm run test:histories`, which may take long. */
export const isLongRun = process.env.CHAT_HISTORY_SEED !== undefined

/** Milliseconds between two actions of a member, well below the rate limits, so that delayed messages can follow soon. */
const MIN_PAUSE_MS = 1_200
const MAX_PAUSE_MS = 2_000
/** One member writes faster, so that a peer who is always away misses much. */
const fastest = 800
/** Milliseconds within which some of the delayed messages must follow, despite rate limits and a busy machine. */
const TIMEOUT_MS = 60_000

/** A failed run violates many guarantees; this many are shown. */
const MAX_SHOWN = 20

/** Probabilities from 0 to 1 of other actions than writing. */
const chances = { read: 0.3, edit: 0.1, remove: 0.04, cut: 0.03, reload: 0.02, sleep: 0.01 }

export class ChatRun {
	readonly random = randomFrom(seed)
	private readonly members: ChatMember[] = []
	private readonly timers: NodeJS.Timeout[] = []
	private readonly asleep = new Set<ChatMember>()
	private readonly acts = new Map<ChatMember, number>()
	/** How many actions a member may have taken by now. */
	private maxActs = 0
	private count = 0

	/**
	 * Pairs up members who have written to each other. One member of the first pair has two tabs.
	 * @param door the address that a member uses
	 * @returns the cookies of their sessions
	 */
	async meet(
		site: Pick<MembersSite, 'ask'>,
		pairs: number,
		door: (index: number) => string,
		name = '',
	): Promise<string[]> {
		const cookies: string[] = []
		for (let index = 0; index < pairs; index += 1) {
			const [from, to] = [`one${name}-${index}`, `other${name}-${index}`]
			const mine = await logInMember(site, from)
			const theirs = await logInMember(site, to)
			const one = { url: door(index), cookie: mine.cookie, from, to }
			await this.greet(one, { url: door(index + 1), cookie: theirs.cookie, from: to, to: from }, index === 0 ? 2 : 1)
			cookies.push(mine.cookie, theirs.cookie)
		}
		return cookies
	}

	/**
	 * Two members, possibly of any site, open their conversation and write to each other.
	 * @param tabs of the first one
	 * @param within milliseconds within which the site must have stored a message
	 */
	async greet(first: Place, second: Place, tabs = 1, within?: number): Promise<void> {
		const [one, other] = [new ChatMember(first, tabs), new ChatMember(second)]
		one.write('Hello.')
		await eventually(() => expect(one.unsettled).toEqual([]), within)
		other.write('Hello to you.')
		await eventually(() => expect(other.unsettled).toEqual([]), within)
		this.members.push(one, other)
	}

	/**
	 * Starts all members; the last one is away until {@link end}, while their peer writes most.
	 * @param maxActs actions per member until the first {@link allowActs}
	 */
	begin(maxActs: number): void {
		this.maxActs = maxActs
		const [writing, away] = this.members.slice(-2)
		if (away) this.fallAsleep(away)
		for (const member of this.members) {
			if (member === away) continue
			const every = member === writing ? fastest : MIN_PAUSE_MS + this.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS)
			const share = member === writing ? 2 : 1
			this.timers.push(setInterval(() => this.mayAct(member, share) && this.act(member), every))
		}
	}

	/**
	 * Allows each member this many more actions, in addition to unused ones. This bounds the load of a run independently of how long the
	 * machine takes.
	 */
	allowActs(count: number): void {
		this.maxActs += count
	}

	/** Stops all members, and brings back those who are away. */
	end(): void {
		for (const timer of this.timers) clearInterval(timer)
		for (const member of this.asleep) this.wake(member)
	}

	/**
	 * Waits until everything is acknowledged and all tabs show the same, by the product's own means, and asserts that no guarantee is
	 * violated. A run only counts if enough was written.
	 * @param least the minimum number of messages
	 */
	async judge(least: number): Promise<void> {
		const written = this.members.map((member) => member.written)
		await this.settle()
		expect(this.unsettled).toEqual([])
		const pages = await Promise.all(this.members.map((member) => member.readPages()))
		await eventually(async () => {
			const tabs = await Promise.all(this.members.map((member) => member.readTabs()))
			expect(findViolations(written, [...pages, ...tabs.flat()]).slice(0, MAX_SHOWN)).toEqual([])
		})
		expect(await findBrokenFigures()).toEqual([])
		for (const member of this.members) member.leave()
		expect(this.messages.length).toBeGreaterThan(least)
		expect(this.hasChanges).toBe(true)
	}

	/** Whether an edit or deletion was acknowledged. */
	get hasChanges(): boolean {
		return this.messages.some(({ changes }) => changes.some(({ acknowledged }) => acknowledged))
	}

	private get messages() {
		return this.members.flatMap(({ written }) => written.messages)
	}

	/** Waits until nothing is pending, or as long as that decreases. */
	private async settle(): Promise<void> {
		let least = this.unsettled.length
		for (let end = Date.now() + TIMEOUT_MS; least > 0 && Date.now() < end; await sleep(100)) {
			const { length } = this.unsettled
			if (length < least) end = Date.now() + TIMEOUT_MS
			least = Math.min(least, length)
		}
	}

	private get unsettled(): string[] {
		return this.members.flatMap((member) => member.unsettled)
	}

	/** Counts an action if a member may take one. @param share multiple of the others' allowance */
	private mayAct(member: ChatMember, share: number): boolean {
		const acts = this.acts.get(member) ?? 0
		if (acts >= this.maxActs * share) return false
		this.acts.set(member, acts + 1)
		return true
	}

	private act(member: ChatMember): void {
		this.count += 1
		const { random } = this
		const tab = random() < 0.5 ? 0 : 1
		const dice = Object.entries(chances).filter(([, chance]) => random() < chance)
		// Only acknowledged messages can be changed; on a slow machine none of the last ten may be.
		const recent = member.written.messages.filter(({ acknowledged }) => acknowledged !== null).slice(-10)
		const some = recent[Math.floor(random() * recent.length)]
		member.write(`message ${this.count}`, tab)
		for (const [what] of dice) {
			if (what === 'read') member.read(tab)
			if (what === 'edit') member.change(some, `edit ${this.count}`)
			if (what === 'remove') member.change(some, '')
			if (what === 'cut') member.cut(tab)
			if (what === 'reload') member.reload(tab)
			if (what === 'sleep' && !this.asleep.has(member)) void this.nap(member, 3_000 + random() * 7_000)
		}
	}

	private async nap(member: ChatMember, milliseconds: number): Promise<void> {
		this.fallAsleep(member)
		await sleep(milliseconds)
		this.wake(member)
	}

	private wake(member: ChatMember): void {
		if (this.asleep.delete(member)) member.wake()
	}

	private fallAsleep(member: ChatMember): void {
		this.asleep.add(member)
		member.sleep()
	}
}
