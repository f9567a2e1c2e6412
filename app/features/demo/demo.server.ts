import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { config } from '~/config.server.ts'
import { hashPassword } from '~/features/accounts/security/credentials.server.ts'
import { listCategoryTags, refreshStatistics } from '~/features/import/import.queries.server.ts'
import { type QuestionDraft, type ThreadDraft, writeQuestions } from '~/features/import/write.server.ts'
import { writeOptedIn } from '~/features/routing/choosing.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { longWork } from '~/platform/db/scope.server.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { hasContent, insertDemoMember, lockDemo, markDemoComplete } from './demo.queries.server.ts'
import {
	type DemoComment,
	type DemoLife,
	type DemoMember,
	type DemoPortrait,
	type DemoQuestion,
	demoLife,
	demoMember,
	demoPortrait,
	demoQuestion,
} from './demo.schema.ts'
import { makeDemoAccounts } from './demo-account.server.ts'
import { addDemoLife } from './life.server.ts'
import { addDemoPortraits } from './portraits.server.ts'

export interface DemoContent {
	members: DemoMember[]
	/** Questions with the slug of their category. */
	questions: { category: string; question: DemoQuestion }[]
	life: DemoLife
	portraits: DemoPortrait[]
}

/** Reads and validates the data files. @throws Error that names the file and the problem */
export async function readDemo(): Promise<DemoContent> {
	const folder = join(process.cwd(), 'demo')
	const members = await readData(join(folder, 'members.yaml'), z.array(demoMember))
	const life = await readData(join(folder, 'life.yaml'), demoLife)
	const portraits = await readData(join(folder, 'portraits.yaml'), z.array(demoPortrait))
	const files = (await readdir(join(folder, 'questions'))).filter((name) => name.endsWith('.yaml')).sort()
	const lists = await Promise.all(
		files.map(async (name) => {
			const questions = await readData(join(folder, 'questions', name), z.array(demoQuestion))
			return questions.map((question) => ({ category: name.replace('.yaml', ''), question }))
		}),
	)
	return { members, questions: lists.flat(), life, portraits }
}

/**
 * Adds the demo content to an unused site; any other site is left as it is. Runs in one transaction, so that an interrupted first start
 * begins again with an empty site.
 */
export function seedDemoContent(options: Options): Promise<void> {
	return longWork(() => addDemo(options))
}

interface Options {
	onProgress: (done: number, total: number) => void
}

async function addDemo({ onProgress }: Options): Promise<void> {
	if (await hasContent()) return
	const content = await readDemo()
	const ids = await db()
		.transaction()
		.execute(async (trx) => {
			// Of several processes that start at once, one adds the content and the others wait.
			await lockDemo(trx)
			return (await hasContent(trx)) ? null : addContent(trx, content, onProgress)
		})
	if (!ids) return
	await addDemoPortraits(content.portraits, ids)
	await refreshStatistics()
}

/** @returns the ids of the members by username */
async function addContent(
	trx: Executor,
	{ members, questions, life }: DemoContent,
	onProgress: Options['onProgress'],
): Promise<Map<string, number>> {
	const now = Date.now()
	const total = members.length + questions.length
	const ids = await addMembers(trx, members, now, (done) => onProgress(done, total))
	const categories = new Map((await listCategoryTags(trx)).map(({ slug, id }) => [slug, id]))
	const drafts = questions
		.toSorted((one, other) => other.question.asked - one.question.asked)
		.map(({ category, question }) =>
			draftOf(question, categories.get(category) ?? categories.get('others') ?? 0, ids, now),
		)
	for (let from = 0; from < drafts.length; from += 8) {
		await writeQuestions(trx, drafts.slice(from, from + 8))
		onProgress(Math.min(total, members.length + from + 8), total)
	}
	await addDemoLife(trx, life, ids, now)
	await markDemoComplete(trx, members.length)
	return ids
}

/** @returns the ids of the members by username */
async function addMembers(
	trx: Executor,
	members: DemoMember[],
	now: number,
	onProgress: (done: number) => void,
): Promise<Map<string, number>> {
	const { member: plain, moderator } = await makeDemoAccounts(config().dataDir)
	const hashes = new Map<string, string>()
	for (const account of [plain, moderator]) if (account) hashes.set(account.email, await hashPassword(account.password))
	const ids = new Map<string, number>()
	// The community sorts by id where it shows who joined first.
	const inOrder = members.toSorted((one, other) => other.joined - one.joined)
	for (const [index, member] of inOrder.entries()) {
		const login = {
			passwordHash: hashes.get(member.email) ?? null,
			role: member.email === moderator?.email ? ('moderator' as const) : ('member' as const),
			aboutHtml: (await renderMarkdown(member.about)).html,
		}
		ids.set(member.username, await insertDemoMember(trx, member, new Date(now - member.joined), login))
		onProgress(index + 1)
	}
	// Except the accounts that visitors of a demo log in to: they choose for themselves.
	const mentors = members.filter((one) => one.open_to.includes('mentoring') && !hashes.has(one.email))
	await writeOptedIn(
		trx,
		mentors.map(({ username }) => ids.get(username) ?? 0),
		true,
	)
	return ids
}

async function readData<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema>> {
	const { parse } = await import('yaml')
	const parsed = schema.safeParse(parse(await readFile(file, 'utf8')))
	if (parsed.success) return parsed.data
	const issue = parsed.error.issues[0]
	throw new Error(`${file}: ${issue?.path.join('.')}: ${issue?.message}`)
}

function draftOf(question: DemoQuestion, categoryId: number, ids: Map<string, number>, now: number): QuestionDraft {
	const askedAt = now - question.asked
	const idOf = (username: string) => {
		const id = ids.get(username)
		if (id === undefined)
			throw new Error(`The demo question "${question.title}" names ${username}, who is no demo member.`)
		return id
	}
	const thread = (comment: DemoComment, parentAt: number): ThreadDraft => {
		// A thread that was written for an older question must not end in the future.
		const at = Math.min(parentAt + comment.after, now)
		return {
			authorId: idOf(comment.author),
			body: comment.body,
			createdAt: new Date(at),
			isSolution: comment.solution,
			score: comment.score,
			sourceId: null,
			sourceUrl: null,
			licence: null,
			replies: comment.replies.map((reply) => thread(reply, at)),
		}
	}
	return {
		authorId: idOf(question.author),
		categoryId,
		title: question.title,
		description: question.body,
		tags: question.tags,
		createdAt: new Date(askedAt),
		score: question.score,
		source: 'demo',
		sourceId: question.title,
		sourceUrl: null,
		licence: null,
		comments: question.comments.map((comment) => thread(comment, askedAt)),
	}
}
