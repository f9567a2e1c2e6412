import { z } from 'zod'
import { postLimits } from '~/features/questions/questions.limits.ts'
import { MAX_TAG, normalizeTag } from '~/features/tags/tags.limits.ts'
import { cleanText, isBlank, isStorable } from '~/lib/clean.ts'
import { startOf } from '~/lib/text.ts'

/** A name or an address: unlike a text, it cannot be stored without one of its characters. */
const name = (most: number) => z.string().max(most).refine(isStorable, 'contains an invalid character (NUL)')
const text = z.string().max(200_000, 'is longer than 200,000 characters').transform(cleanText)
const filled = text.refine((value) => !isBlank(value), 'is empty')
const id = z.union([name(200).min(1), z.number().transform(String)])
const time = z
	.string()
	.transform((value) => new Date(withZone(value)))
	.refine((value) => !Number.isNaN(value.getTime()), 'is no date')
const score = z
	.number()
	.int()
	.min(-1_000_000)
	.max(1_000_000)
	.nullish()
	.transform((value) => value ?? 0)
const origin = { source_url: name(2_000).nullish(), licence: name(200).nullish() }
const author = id.nullish()

const comment = z.object({ id: id.nullish(), body: filled, created: time.nullish(), score, author, ...origin })
const answer = comment.extend({
	accepted: z.boolean().nullish(),
	comments: z
		.array(comment)
		.nullish()
		.transform((list) => list ?? []),
})

/** One line of an import file: a question with its answers and comments. Unknown fields are ignored. */
export const questionLine = z.object({
	id,
	title: filled.transform((title) => title.replace(/\s+/g, ' ').trim()).transform(shorten),
	body: filled,
	tags: z
		.array(z.string().refine(isStorable, 'contains an invalid character (NUL)'))
		.nullish()
		.transform((tags) =>
			[...new Set((tags ?? []).map(normalizeTag))]
				.filter((tag) => tag.length > 0 && tag.length <= MAX_TAG)
				.slice(0, postLimits.tagsMax),
		),
	created: time.nullish(),
	created_between: z.array(time).min(1).nullish(),
	score,
	author,
	answers: z
		.array(answer)
		.nullish()
		.transform((list) => list ?? []),
	comments: z
		.array(comment)
		.nullish()
		.transform((list) => list ?? []),
	source: name(100)
		.min(1)
		.nullish()
		.transform((source) => source ?? 'import'),
	...origin,
})

export type QuestionLine = z.output<typeof questionLine>
export type CommentLine = z.output<typeof answer>

/** The first error of a line, in words. */
export function firstIssue(error: z.ZodError): string {
	const issue = error.issues[0]
	const path = issue?.path.join('.') || 'the line'
	return `${path}: ${issue?.message ?? 'cannot be read'}`
}

/** A time without a zone is in UTC, as sites export theirs: JavaScript would read it in the zone of this machine. */
function withZone(time: string): string {
	return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(time) ? `${time}Z` : time
}

function shorten(title: string): string {
	if (title.length <= postLimits.titleMax) return title
	return `${startOf(title, postLimits.titleMax - 1).trimEnd()}…`
}
