import {
	analyzeForumTables,
	countSeededQuestions,
	importKey,
	insertComments,
	insertQuestions,
	listCategoryTags,
	listSeedAuthors,
	type NewImportedComment,
	refreshImportedQuestions,
	reserveCommentIds,
} from '~/features/import/import.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { excerptOf, renderMarkdown } from '~/platform/markdown/render.server.ts'
import { readDemo } from './demo.server.ts'

/** Questions per transaction. */
const BATCH_SIZE = 500
export const seedSource = 'seed'
const firstAsked = Date.UTC(2024, 0, 1)
const hour = 3_600_000

interface Options {
	/** The mail domain of the members who ask and answer. */
	authors: string
	onProgress: (done: number, total: number) => void
	/** Stops after the current batch. */
	signal?: AbortSignal
}

/**
 * Raises the number of seeded questions to `total`: new combinations of the demo's texts, by generated members. The same number always
 * yields the same question, and existing ones stay.
 * @returns the number of inserted rows
 * @throws Error if there are no generated members
 */
export async function seedQuestions(total: number, { authors, onProgress, signal }: Options): Promise<number> {
	const people = await listSeedAuthors(authors)
	let done = await countSeededQuestions(seedSource)
	if (done >= total) return 0
	if (people.length === 0) throw new Error('Questions need members: ask for some with --members.')
	const texts = await renderDemo()
	const categories = await listCategoryTags(db())
	let rows = 0
	while (done < total && !signal?.aborted) {
		const numbers = Array.from({ length: Math.min(BATCH_SIZE, total - done) }, (_, index) => done + index + 1)
		const drafts = numbers.map((number) => draftOf(number, texts, people, categories))
		await db()
			.transaction()
			.execute(async (trx) => {
				const ids = await insertQuestions(
					trx,
					drafts.map(({ question }) => question),
				)
				const free = await reserveCommentIds(
					trx,
					drafts.reduce((sum, { answers }) => sum + answers.length, 0),
				)
				const comments = drafts.flatMap(({ question, answers }) =>
					answers.map((answer): NewImportedComment => {
						const id = free.shift() ?? 0
						return { ...answer, id, questionId: ids.get(importKey(question)) ?? 0, path: [id] }
					}),
				)
				await insertComments(trx, comments)
				await refreshImportedQuestions(trx, [...ids.values()])
				rows += ids.size + comments.length + drafts.reduce((sum, { question }) => sum + question.tags.length, 0)
			})
		done += numbers.length
		onProgress(done, total)
	}
	await analyzeForumTables()
	return rows
}

interface Text {
	category: string
	title: string
	body: string
	html: string
	excerpt: string
	tags: string[]
	answers: { body: string; html: string }[]
}

/** The demo's questions with their answers, rendered once. */
async function renderDemo(): Promise<Text[]> {
	const { questions } = await readDemo()
	return Promise.all(
		questions.map(async ({ category, question }) => {
			const { html, text } = await renderMarkdown(question.body, { topHeading: 2 })
			const answers = await Promise.all(
				question.comments.map(async ({ body }) => ({ body, html: (await renderMarkdown(body, {})).html })),
			)
			return {
				category,
				title: question.title,
				body: question.body,
				html,
				excerpt: excerptOf(text),
				tags: question.tags,
				answers,
			}
		}),
	)
}

function draftOf(number: number, texts: Text[], people: number[], categories: { id: number; slug: string }[]) {
	// Steps that are coprime to the lengths visit all combinations before one repeats.
	const text = texts[(number * 7) % texts.length]
	const other = texts[(number * 11 + Math.floor(number / texts.length)) % texts.length]
	if (!text || !other) throw new Error('The demo has no questions.')
	const authorOf = (step: number) => people[(number * 31 + step * 977) % people.length] ?? 0
	const askedAt = new Date(firstAsked + number * hour)
	const answers = [...text.answers, ...other.answers].slice(0, number % 5)
	const category = categories.find(({ slug }) => slug === text.category) ?? categories.at(-1)
	return {
		question: {
			authorId: authorOf(0),
			categoryId: category?.id ?? 0,
			title: `${text.title} (${number})`,
			description: text.body,
			descriptionHtml: text.html,
			excerpt: text.excerpt,
			tags: [...new Set([...text.tags, ...other.tags])].slice(0, 5),
			createdAt: askedAt,
			activeAt: new Date(askedAt.getTime() + answers.length * hour),
			score: number % 23,
			source: seedSource,
			sourceId: String(number),
			sourceUrl: null,
			licence: null,
		},
		answers: answers.map((answer, index) => ({
			authorId: authorOf(index + 1),
			body: answer.body,
			bodyHtml: answer.html,
			createdAt: new Date(askedAt.getTime() + (index + 1) * hour),
			isSolution: index === 0 && number % 3 === 0,
			score: index,
			sourceId: null,
			sourceUrl: null,
			licence: null,
		})),
	}
}
