import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { deleteMessage, editMessage } from '~/features/chat/messages/changing.server.ts'
import { markSeen, openConversation } from '~/features/chat/messages/reading.server.ts'
import { reportMessage } from '~/features/chat/messages/reporting.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import {
	acceptConversation,
	setBlocked,
	setChatSettings,
	setMuted,
} from '~/features/conversations/conversations.server.ts'
import { listConversations, listLatestConversations, markAllSeen } from '~/features/inbox/inbox.server.ts'
import { searchOwnMessages } from '~/features/inbox/search/search.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { passTime } from '../factories/chat.ts'
import { type Act, History } from './history.ts'

/** The last messages, which members edit, delete and report. */
const RECENT = 12

interface Sent {
	id: number
	from: SignedIn
	to: SignedIn
}

/** Everything that changes the conversations of a few members. */
export class ConversationHistory extends History {
	private readonly messages: Sent[] = []

	protected acts(): [number, Act][] {
		return [this.writing(), this.reading(), this.choices()].flat()
	}

	override async begin(): Promise<void> {
		await super.begin()
		const [one, other] = this.members
		if (one && other) await this.send(one, other)
	}

	override async run(count: number): Promise<string[]> {
		// Resets the limits of messages and reports.
		await passTime()
		await sql`update reports set created_at = created_at - interval '1 hour'`.execute(db())
		return super.run(count)
	}

	private pair(): [SignedIn, SignedIn] {
		const one = this.pick(this.members)
		return [one, this.pick(this.members.filter((member) => member !== one))]
	}

	private async send(from: SignedIn, to: SignedIn): Promise<void> {
		const message = { to: to.username, clientId: randomUUID(), body: `Message ${this.next()}` }
		const [sent] = await Promise.all(
			this.chance(0.2) ? [sendMessage(from, message), sendMessage(from, message)] : [sendMessage(from, message)],
		)
		if (!sent) return
		this.messages.push({ id: sent.id, from, to })
		if (this.messages.length > RECENT) this.messages.shift()
	}

	private writing(): [number, Act][] {
		const withMessage = (act: (sent: Sent, which: { with: string; id: number }) => Promise<unknown>) => () => {
			const sent = this.pick(this.messages)
			return act(sent, { with: sent.to.username, id: sent.id })
		}
		return [
			[40, () => this.send(...this.pair())],
			[5, withMessage(({ from }, which) => editMessage(from, which, { body: `Edited ${this.next()}` }))],
			[5, withMessage(({ from }, which) => deleteMessage(from, which))],
			[
				2,
				withMessage(({ from, to, id }) => reportMessage(to, { with: from.username, id }, { words: 'Look at this.' })),
			],
		]
	}

	private reading(): [number, Act][] {
		const someone = () => this.pick(this.members)
		return [
			[12, () => this.see(...this.pair())],
			[2, () => markAllSeen(someone())],
			[4, () => this.open(...this.pair())],
			[3, () => listConversations(someone(), { before: null })],
			[3, () => listLatestConversations(someone())],
			[2, () => searchOwnMessages(someone(), 'message')],
		]
	}

	private open(member: SignedIn, peer: SignedIn): Promise<unknown> {
		return openConversation(member, peer.username)
	}

	private see(member: SignedIn, peer: SignedIn): Promise<void> {
		const upTo = Math.max(...this.messages.map(({ id }) => id))
		return markSeen(member, { with: peer.username, upTo, read: this.chance(0.7) })
	}

	private choices(): [number, Act][] {
		const toPeer = (act: (member: SignedIn, peer: string) => Promise<unknown>) => () => {
			const [member, { username }] = this.pair()
			return act(member, username)
		}
		const accepts = () => this.pick(['members', 'members', 'verified', 'nobody'])
		return [
			[8, toPeer((member, peer) => acceptConversation(member, peer))],
			[4, toPeer((member, peer) => setBlocked(member, peer, this.chance(0.3)))],
			[2, toPeer((member, peer) => setMuted(member, peer, this.chance(0.5)))],
			[1, () => setChatSettings(this.pick(this.members), { accepts: accepts() })],
		]
	}
}
