import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { DemoComment } from '~/features/demo/demo.schema.ts'
import { readDemo } from '~/features/demo/demo.server.ts'

/** The number of answers of the first two of a thousand questions. */
const manyAnswers: Record<number, number> = { 0: 50, 1: 20 }

/**
 * Writes an import file of generated questions, which combine the demo's texts. Deterministic. Of each thousand questions one has 50
 * comments, and the next 20.
 * @param most maximum number of comments of other questions; the average is half of it
 */
export async function writeQuestions(file: string, count: number, most = 5): Promise<void> {
	const { questions } = await readDemo()
	const bodies = questions.flatMap(({ question }) => all(question.comments))
	const out = createWriteStream(file)
	for (let number = 0; number < count; number += 1) {
		const pick = (what: string, among: number) =>
			createHash('sha1').update(`${what}${number}`).digest().readUInt32BE() % among
		const first = questions[pick('first', questions.length)]?.question
		const second = questions[pick('second', questions.length)]?.question
		if (!first || !second) throw new Error('The demo has no questions.')
		const answers = Array.from({ length: manyAnswers[number % 1_000] ?? pick('answers', most + 1) }, (_, index) => ({
			id: `a${index}`,
			body: bodies[(pick('body', bodies.length) + index) % bodies.length] ?? '',
			author: `author${(number * 7 + index) % 2_000}`,
			accepted: index === 0,
			score: index,
			created: new Date(1_700_000_000_000 + number * 3_600_000 + index * 60_000).toISOString(),
		}))
		const line = {
			id: `q${number}`,
			title: `${first.title} (${number})`,
			body: `${first.body}\n\n${second.body}`,
			tags: [...new Set([...first.tags, ...second.tags])].slice(0, 5),
			created: new Date(1_700_000_000_000 + number * 3_600_000).toISOString(),
			score: pick('score', 50),
			author: `author${number % 2_000}`,
			source: 'bench',
			answers,
		}
		if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
	}
	out.end()
	await once(out, 'finish')
}

function all(comments: DemoComment[]): string[] {
	return comments.flatMap((comment) => [comment.body, ...all(comment.replies)])
}
