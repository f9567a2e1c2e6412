import { sql } from 'kysely'
import {
	addCategory,
	archiveCategory,
	listCategoryDetails,
	mergeCategory,
	moveMergedQuestions,
} from '~/features/administration/categories/categories.server.ts'
import { askQuestion, deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { removeBookmark, saveBookmark } from '~/features/bookmarks/bookmarks.server.ts'
import { addComment, deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { castVote, chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { followQuestion, setAffected } from '~/features/following/following.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { savePersonal } from '~/features/profile-editor/editing.server.ts'
import { routeQuestion, setOptedIn } from '~/features/routing/choosing.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { addSynonym, removeSynonym } from '~/features/tags/tags.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { type Act, History, why } from './history.ts'

/** The latest questions and comments, which all acts target: so few that writers contend for them. */
const RECENT_QUESTIONS = 6
const RECENT_COMMENTS = 14

const tags = ['alpha', 'beta', 'gamma', 'delta', 'react', 'reactjs']
const categories = ['others', 'python', 'java', 'extra1', 'extra2']
const bodies = ['Like this.', 'See @ann and @bob.', 'Use `x`.', 'Ask somebody else.']
const questionActs = ['hide', 'lock', 'pin', 'unpin', 'pin-everywhere', 'approve', 'refuse', 'dismiss', 'unmask']
const commentActs = ['hide', 'approve', 'refuse', 'dismiss']

/** Everything that changes a forum with a few questions. */
export class ForumHistory extends History {
	private readonly questions: number[] = []
	private readonly comments: { id: number; questionId: number }[] = []

	protected acts(): [number, Act][] {
		return [this.posts(), this.reactions(), this.moderation(), this.profiles()].flat()
	}

	override async begin(): Promise<void> {
		await super.begin()
		for (const author of this.members) {
			const { id } = await makeQuestion(author)
			this.questions.push(id)
			this.comments.push({ id: await makeComment(this.pick(this.members), id), questionId: id })
		}
	}

	override async run(count: number): Promise<string[]> {
		// Resets the hourly limit of reports.
		await sql`update reports set created_at = created_at - interval '1 hour'`.execute(db())
		return super.run(count)
	}

	private anyone(): SignedIn {
		return this.pick([...this.members, ...this.members, this.admin])
	}

	/** Often an admin, who may change everything. */
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
		const title = `A question number ${this.next()} of them`
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
		return [
			[4, () => reportSubject(this.anyone(), { kind: 'query', name: String(this.question()) }, { reason: 'spam' })],
			[4, () => reportSubject(this.anyone(), { kind: 'comment', name: String(this.comment().id) }, { reason: 'spam' })],
			[8, () => decide('query', this.question(), this.pick(questionActs))],
			[8, () => decide('query', this.question(), this.pick(['restore', 'unlock']))],
			[6, () => decide('comment', this.comment().id, this.pick(commentActs))],
			[6, () => decide('comment', this.comment().id, 'restore')],
			[3, () => decide('query', this.question(), 'merge', { into: String(this.question()) })],
			[2, () => addSynonym(this.pick(this.staff), { name: this.pick(tags), main: this.pick(tags) })],
			[2, () => removeSynonym(this.pick(this.staff), this.pick(tags))],
			[1, () => this.addCategory()],
			[1, () => this.archiveCategory()],
			[1, () => this.mergeCategory()],
		]
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
		await moveMergedQuestions(id)
	}

	private profiles(): [number, Act][] {
		return [
			[2, () => this.saveSkills()],
			[1, () => setOptedIn(this.anyone(), this.chance(0.8))],
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
}
