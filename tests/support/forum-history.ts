import { sql } from 'kysely'
import { mergeAccounts } from '~/features/account-merge/merging.server.ts'
import {
	addCategory,
	archiveCategory,
	listCategoryDetails,
	mergeCategory,
	moveMerged,
} from '~/features/administration/categories/categories.server.ts'
import { askQuestion, deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { removeBookmark, saveBookmark } from '~/features/bookmarks/bookmarks.server.ts'
import { addComment, deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { castVote, chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { followQuestion, setAffected } from '~/features/following/following.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { report } from '~/features/moderation/reports.server.ts'
import { deleteLeaver } from '~/features/privacy/leaving/deletion.server.ts'
import { comeBack, leave } from '~/features/privacy/leaving/leaving.server.ts'
import { savePersonal } from '~/features/profile-editor/editing.server.ts'
import { routeQuestion, setOptedIn } from '~/features/routing/choosing.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { addSynonym, removeSynonym } from '~/features/tags/tags.server.ts'
import { finishTakedown, takeDown, undoTakedown } from '~/features/takedowns/takedowns.server.ts'
import { DomainError } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../factories/forum.ts'
import { randomFrom } from './random.ts'

/* Members, moderators and an admin who write in one forum at the same time, at random. */

/** The last questions and comments, about which everything is: so few that writers meet. */
const RECENT_QUESTIONS = 6
const RECENT_COMMENTS = 14
/** Acts at the same time; the pool has a connection for each. */
const AT_ONCE = 8

const tags = ['alpha', 'beta', 'gamma', 'delta', 'react', 'reactjs']
const categories = ['others', 'python', 'java', 'extra1', 'extra2']
const bodies = ['Like this.', 'See @ann and @bob.', 'Use `x`.', 'Ask somebody else.']
const questionActs = ['hide', 'lock', 'pin', 'unpin', 'pin-everywhere', 'approve', 'refuse', 'dismiss', 'unmask']
const commentActs = ['hide', 'approve', 'refuse', 'dismiss']
const why = 'A reason.'

type Act = () => Promise<unknown>

export class ForumHistory {
	private readonly random: () => number
	private readonly members: SignedIn[] = []
	private readonly staff: SignedIn[] = []
	private admin = {} as SignedIn
	private readonly questions: number[] = []
	private readonly comments: { id: number; questionId: number }[] = []
	private made = 0
	/** Each act once for every part of its weight. */
	private readonly acts: Act[]

	constructor(seed: number) {
		this.random = randomFrom(seed)
		const weighted = [this.posts(), this.reactions(), this.moderation(), this.membership()].flat()
		this.acts = weighted.flatMap(([weight, act]) => Array<Act>(weight).fill(act))
	}

	/** Creates the members, and some posts. */
	async begin(): Promise<void> {
		for (const name of ['ann', 'bob', 'cid', 'dot']) this.members.push(await countedMember(name))
		for (const name of ['mod', 'moda']) this.staff.push(await countedMember(name, 'moderator'))
		this.admin = await countedMember('admin', 'admin')
		this.staff.push(this.admin)
		for (const author of this.members) {
			const { id } = await makeQuestion(author)
			this.questions.push(id)
			this.comments.push({ id: await makeComment(this.pick(this.members), id), questionId: id })
		}
	}

	/**
	 * Has members do something at random, several at a time, and then ends what has become a background job.
	 * @returns what failed, apart from refusals
	 */
	async run(count: number): Promise<unknown[]> {
		const failures: unknown[] = []
		let left = count
		const writer = async () => {
			while (left-- > 0)
				await this.pick(this.acts)().catch((error) => {
					if (!(error instanceof DomainError) && !isOfGoneWriter(error)) failures.push(error)
				})
		}
		await Promise.all(Array.from({ length: AT_ONCE }, writer))
		const { rows } = await sql<{ id: number }>`select id from takedowns`.execute(db())
		for (const takedown of rows) await finishTakedown(takedown)
		// A member may send few reports an hour.
		await sql`update reports set created_at = created_at - interval '1 hour'`.execute(db())
		return failures
	}

	private pick<Item>(items: readonly Item[]): Item {
		return items[Math.floor(this.random() * items.length)] as Item
	}

	private chance(share: number): boolean {
		return this.random() < share
	}

	private anyone(): SignedIn {
		return this.pick([...this.members, ...this.members, this.admin])
	}

	/** Often one who may change it: an admin may change everything. */
	private editor(): SignedIn {
		return this.chance(0.5) ? this.admin : this.pick(this.members)
	}

	private question(): number {
		return this.pick(this.questions)
	}

	private comment(): { id: number; questionId: number } {
		return this.pick(this.comments)
	}

	private texts() {
		this.made += 1
		const title = `A question number ${this.made} of them`
		const someTags = [this.pick(tags), this.pick(tags)].join(',')
		return { title, description: this.pick(bodies), tags: someTags, category: this.pick(categories) }
	}

	private async ask(): Promise<void> {
		const { url } = await askQuestion(this.anyone(), { ...this.texts(), pseudonym: this.chance(0.3) })
		this.questions.push(Number(url.split('/')[4]))
		if (this.questions.length > RECENT_QUESTIONS) this.questions.shift()
	}

	private async reply(): Promise<void> {
		const parent = this.chance(0.5) ? this.comment() : { id: null, questionId: this.question() }
		const { questionId, id: parentId } = parent
		const { id } = await addComment(this.anyone(), { questionId, parentId, body: this.pick(bodies) })
		this.comments.push({ id, questionId })
		if (this.comments.length > RECENT_COMMENTS) this.comments.shift()
	}

	private posts(): [number, Act][] {
		return [
			[12, () => this.ask()],
			[6, () => editQuestion(this.editor(), this.question(), this.texts())],
			[2, () => deleteQuestion(this.editor(), this.question())],
			[6, () => restoreQuestion(this.editor(), this.question())],
			[16, () => this.reply()],
			[4, () => editComment(this.editor(), this.comment().id, { body: this.pick(bodies) })],
			[4, () => deleteComment(this.editor(), this.comment().id)],
			[6, () => restoreComment(this.editor(), this.comment().id)],
		]
	}

	private reactions(): [number, Act][] {
		const vote = () => this.pick([-1, 0, 1] as const)
		const solution = () => {
			const { id, questionId } = this.comment()
			return { commentId: id, questionId }
		}
		return [
			[10, () => castVote(this.anyone(), { questionId: this.question(), commentId: null, vote: vote() })],
			[12, () => castVote(this.anyone(), { ...solution(), vote: vote() })],
			[10, () => chooseSolution(this.editor(), solution())],
			[4, () => withdrawSolution(this.editor(), solution())],
			[2, () => saveBookmark(this.anyone(), { kind: 'comment', id: this.comment().id })],
			[2, () => removeBookmark(this.anyone(), { kind: 'comment', id: this.comment().id })],
			[2, () => followQuestion(this.anyone(), this.question(), this.chance(0.6))],
			[4, () => setAffected(this.anyone(), this.question(), this.chance(0.6))],
			[2, () => setFollowing(this.anyone(), { tag: this.pick(tags) }, this.chance(0.6))],
			[2, () => routeQuestion({ questionId: this.question(), round: 1 })],
		]
	}

	private moderation(): [number, Act][] {
		const decide = (kind: string, name: number | string, act: string, input = {}) =>
			decideCase(this.pick(this.staff), { kind, name: String(name), act }, { why, ...input })
		const someone = () => this.pick(this.members).username
		return [
			[4, () => report(this.anyone(), { kind: 'query', name: String(this.question()) }, { reason: 'spam' })],
			[4, () => report(this.anyone(), { kind: 'comment', name: String(this.comment().id) }, { reason: 'spam' })],
			[8, () => decide('query', this.question(), this.pick(questionActs))],
			[8, () => decide('query', this.question(), this.pick(['restore', 'unlock']))],
			[6, () => decide('comment', this.comment().id, this.pick(commentActs))],
			[6, () => decide('comment', this.comment().id, 'restore')],
			[3, () => decide('query', this.question(), 'merge', { into: String(this.question()) })],
			[1, () => decide('profile', someone(), 'suspend', { time: '1 day' })],
			[3, () => decide('profile', someone(), 'lift')],
			[1, () => takeDown(this.pick(this.staff), someone(), { why, from: '', time: this.pick(['', '1 day']) })],
			[2, () => this.undoTakedown()],
			[2, () => addSynonym(this.pick(this.staff), { name: this.pick(tags), main: this.pick(tags) })],
			[2, () => removeSynonym(this.pick(this.staff), this.pick(tags))],
			[1, () => this.addCategory()],
			[1, () => this.archiveCategory()],
			[1, () => this.mergeCategory()],
		]
	}

	private async undoTakedown(): Promise<void> {
		const { id: memberId, username } = this.pick(this.members)
		const { rows } = await sql<{ id: number }>`
			select id from takedowns where member_id = ${memberId} order by id desc limit 1`.execute(db())
		for (const { id } of rows) await undoTakedown(this.pick(this.staff), username, { why, id })
	}

	private addCategory(): Promise<unknown> {
		const slug = this.pick(['extra1', 'extra2'])
		return addCategory(this.admin, {
			title: slug,
			slug,
			description: 'One more.',
			asking: 'everybody',
			requiredTags: '',
		})
	}

	private async archiveCategory(): Promise<void> {
		await archiveCategory(this.admin, this.pick(await listCategoryDetails(this.admin)).id, this.chance(0.4))
	}

	private async mergeCategory(): Promise<void> {
		const { id } = this.pick(await listCategoryDetails(this.admin))
		await mergeCategory(this.admin, id, { into: this.pick(categories) })
		await moveMerged(id)
	}

	private membership(): [number, Act][] {
		return [
			[2, () => this.saveSkills()],
			[1, () => setOptedIn(this.anyone(), this.chance(0.8))],
			[1, () => this.mergeAccounts()],
			[1, () => this.leave()],
		]
	}

	private async saveSkills(): Promise<void> {
		const { id, username, name } = this.anyone()
		const { rows } = await sql<{ version: number }>`
			select coalesce((select personal_version from profiles where user_id = ${id}), 1) as version`.execute(db())
		const skills = [this.pick(tags), this.pick(tags)].join(',')
		const member = this.members.find((one) => one.id === id) ?? this.admin
		await savePersonal(member, username, { fullName: name, about: '', skills, version: rows[0]?.version })
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
			return comeBack(member)
		}
		const gone = await this.replaceMember()
		await leave(gone, { texts: this.pick(['keep', 'remove']) })
		await sql`update users set leaves_at = now() - interval '1 day' where id = ${gone.id}`.execute(db())
		await deleteLeaver(gone.id)
	}

	/** Replaces a member by a new one. @returns who is replaced, who may still be writing */
	private async replaceMember(): Promise<SignedIn> {
		this.made += 1
		const fresh = await countedMember(`fresh${this.made}`)
		const place = Math.floor(this.random() * this.members.length)
		const [gone] = this.members.splice(place, 1, fresh)
		return gone as SignedIn
	}
}

/** As registrations count it. */
async function countedMember(username: string, role?: SignedIn['role']): Promise<SignedIn> {
	await sql`update counters set value = value + 1 where name = 'members'`.execute(db())
	return makeMember(username, role)
}

/** Whether somebody's account was deleted while they wrote: nobody is left to read a message. */
function isOfGoneWriter(error: { code?: string; constraint?: string }): boolean {
	return error.code === '23503' && error.constraint === 'profiles_user_id_fkey'
}
