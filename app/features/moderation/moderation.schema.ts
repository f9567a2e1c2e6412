import { z } from 'zod'
import { cleanParagraphs, isStorable } from '~/lib/clean.ts'
import { moderationLimits } from './moderation.limits.ts'
import { type Act, suspensionDurations } from './moderation.policy.ts'

const text = (max: number, tooLong: string, missing = 'Write a few words.') =>
	z
		.string({ error: missing })
		.refine(isStorable, 'The text contains an invalid character (NUL).')
		.transform(cleanParagraphs)
		.refine((value) => value.length <= max, tooLong)

const saySomething = 'Say in a few words what is wrong.'
const reportTooLong = `A report may have at most ${moderationLimits.detailsMax.toLocaleString('en')} characters.`

/** Input of a report without a list of reasons. */
export const reportWordsInput = z.object({
	words: text(moderationLimits.detailsMax, reportTooLong, saySomething).refine((words) => words !== '', saySomething),
})

/** Input of the report form. */
export const reportInput = z
	.object({
		reason: z.string({ error: 'Choose a reason.' }).min(1, 'Choose a reason.').max(60, 'Choose a reason.'),
		details: text(moderationLimits.detailsMax, reportTooLong),
	})
	.refine(({ reason, details }) => reason !== 'other' || details !== '', {
		path: ['details'],
		error: saySomething,
	})

/** The reason for a moderator's action; required where the form asks for it. */
const why = text(moderationLimits.whyMax, `A reason may have at most ${moderationLimits.whyMax} characters.`)
export const whyInput = z.object({ why: why.refine((value) => value !== '', 'Say why, in a few words.') })
export const optionalWhyInput = z.object({ why })

/** Dismissing the reports of a case: why, and when the last report was made that the moderator saw. */
export const dismissInput = optionalWhyInput.extend({ active: z.string().max(100).optional() })

/** The new assignee of a case, and the one when the form was made. */
export const assignInput = z.object({
	assignee: z.string({ error: 'Choose a moderator.' }).max(100, 'Choose a moderator.'),
	assigned: z.string().max(100).optional(),
})

/** A note for other moderators. */
export const noteInput = z.object({
	note: text(
		moderationLimits.noteMax,
		`A note may have at most ${moderationLimits.noteMax.toLocaleString('en')} characters.`,
	).refine((value) => value !== '', 'Write a few words.'),
})

const needsNoReason: readonly Act[] = [
	...(['approve', 'restore', 'unlock', 'pin', 'pin-everywhere', 'unpin', 'dismiss', 'lift'] as const),
]

/** The schema of an action's reason. */
export function reasonInput(act: Act): typeof whyInput | typeof optionalWhyInput {
	return needsNoReason.includes(act) ? optionalWhyInput : whyInput
}

/** How long a suspension lasts. */
export const suspendInput = whyInput.extend({
	time: z.enum(suspensionDurations, { error: 'Choose for how long.' }),
})
