import { sql } from 'kysely'
import { mergeAccounts } from '~/features/account-merge/merging.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { deleteLeaver } from '~/features/privacy/leaving/deletion.server.ts'
import { cancelLeaving, leave } from '~/features/privacy/leaving/leaving.server.ts'
import { finishTakedown, takeDown, undoTakedown } from '~/features/takedowns/takedowns.server.ts'
import { DomainError } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { randomFrom } from './random.ts'

/** Concurrent acts; the pool has a connection for each. */
const AT_ONCE = 8

export const why = 'A reason.'

export type Act = () => Promise<unknown>

/** Members, moderators and an admin who write concurrently, at random. A seed determines their choices, not the timing. */
export abstract class History {
	private readonly random: () => number
	protected readonly members: SignedIn[] = []
	protected readonly staff: SignedIn[] = []
	protected admin = {} as SignedIn
	private made = 0

	constructor(seed: number) {
		this.random = randomFrom(seed)
	}

	/** Possible acts with their weights. */
	protected abstract acts(): [number, Act][]

	/** Creates the members. */
	async begin(): Promise<void> {
		for (const name of ['ann', 'bob', 'cid', 'dot']) this.members.push(await countedMember(name))
		for (const name of ['mod', 'moda']) this.staff.push(await countedMember(name, 'moderator'))
		this.admin = await countedMember('admin', 'admin')
		this.staff.push(this.admin)
	}

	/**
	 * Runs random acts of members, several concurrently, and then completes the background jobs.
	 * @returns failures other than refusals
	 */
	async run(count: number): Promise<string[]> {
		const weighted = [...this.acts(), ...this.decisions(), ...this.departures()]
		const acts = weighted.flatMap(([weight, act]) => Array<Act>(weight).fill(act))
		const failures: string[] = []
		let left = count
		const writer = async () => {
			while (left-- > 0)
				await this.pick(acts)().catch((error) => {
					if (!(error instanceof DomainError) && !isOfGoneWriter(error)) failures.push(error.stack)
				})
		}
		await Promise.all(Array.from({ length: AT_ONCE }, writer))
		const { rows } = await sql<{ id: number }>`select id from takedowns`.execute(db())
		for (const takedown of rows) await finishTakedown(takedown)
		return failures
	}

	protected pick<Item>(items: readonly Item[]): Item {
		return items[Math.floor(this.random() * items.length)] as Item
	}

	protected chance(share: number): boolean {
		return this.random() < share
	}

	/** A number that was not used before. */
	protected next(): number {
		this.made += 1
		return this.made
	}

	private decisions(): [number, Act][] {
		const someone = () => this.pick(this.members).username
		const decide = (act: string, input = {}) =>
			decideCase(this.pick(this.staff), { kind: 'profile', name: someone(), act }, { why, ...input })
		return [
			[1, () => decide('suspend', { time: '1 day' })],
			[4, () => decide('lift')],
			[1, () => takeDown(this.pick(this.staff), someone(), { why, from: '', time: this.pick(['', '1 day']) })],
			[2, () => this.undoTakedown()],
		]
	}

	private async undoTakedown(): Promise<void> {
		const { id: memberId, username } = this.pick(this.members)
		const { rows } = await sql<{ id: number }>`
			select id from takedowns where member_id = ${memberId} order by id desc limit 1`.execute(db())
		for (const { id } of rows) await undoTakedown(this.pick(this.staff), username, { why, id })
	}

	private departures(): [number, Act][] {
		return [
			[1, () => this.mergeAccounts()],
			[1, () => this.leave()],
		]
	}

	private async mergeAccounts(): Promise<void> {
		const gone = await this.replaceMember()
		const input = { into: this.pick(this.members).username, username: gone.username, why }
		await mergeAccounts(this.admin, gone.username, input)
	}

	private async leave(): Promise<void> {
		if (this.chance(0.5)) {
			const member = this.pick(this.members)
			await leave(member, { texts: 'keep' })
			return cancelLeaving(member)
		}
		const gone = await this.replaceMember()
		await leave(gone, { texts: this.pick(['keep', 'remove']) })
		await sql`update users set leaves_at = now() - interval '1 day' where id = ${gone.id}`.execute(db())
		await deleteLeaver(gone.id)
	}

	/** Replaces a member by a new one. @returns the replaced member, who may still be writing */
	private async replaceMember(): Promise<SignedIn> {
		const fresh = await countedMember(`fresh${this.next()}`)
		const place = Math.floor(this.random() * this.members.length)
		const [gone] = this.members.splice(place, 1, fresh)
		return gone as SignedIn
	}
}

/** A member who is counted as by a registration. */
async function countedMember(username: string, role?: SignedIn['role']): Promise<SignedIn> {
	await sql`update counters set value = value + 1 where name = 'members'`.execute(db())
	return makeMember(username, role)
}

/** Whether somebody's account was deleted while they wrote: nobody is left to read a message. Notifications are those of others. */
function isOfGoneWriter({ code, constraint = '' }: { code?: string; constraint?: string }): boolean {
	return code === '23503' && /^(?!notification).*_(user|author|reporter|sender)_id_fkey$/.test(constraint)
}
