import { z } from 'zod'
import { cleanText, isStorable } from '~/lib/clean.ts'
import { limits } from './moderation.limits.ts'
import { suspensionTimes } from './moderation.present.ts'

const text = (most: number, tooLong: string) =>
	z
		.string({ error: 'Write a few words.' })
		.refine(isStorable, 'The text contains an invalid character (NUL).')
		.transform((value) => cleanText(value).trim())
		.refine((value) => value.length <= most, tooLong)

/** What the report form sends. */
export const reportInput = z
	.object({
		reason: z.enum(['spam', 'off-topic', 'abusive', 'other'], { error: 'Choose a reason.' }),
		details: text(limits.detailsMax, `A report may have at most ${limits.detailsMax.toLocaleString('en')} characters.`),
	})
	.refine(({ reason, details }) => reason !== 'other' || details !== '', {
		path: ['details'],
		error: 'Say in a few words what is wrong.',
	})

/** Why a moderator did something; where it is asked for, there must be something. */
const why = text(limits.whyMax, `A reason may have at most ${limits.whyMax} characters.`)
export const whyInput = z.object({ why: why.refine((value) => value !== '', 'Say why, in a few words.') })
export const maybeWhyInput = z.object({ why })

/** How long a suspension lasts. */
export const suspendInput = whyInput.extend({
	time: z.enum(suspensionTimes, { error: 'Choose for how long.' }),
})

/** Which part of a profile is removed. */
export const cleanInput = whyInput.extend({
	part: z.string({ error: 'Choose what to remove.' }).regex(/^[a-z]+(:[0-9a-f-]{36})?$/, 'Choose what to remove.'),
})

/** The query that another one is merged into: its number, or its address. */
export const mergeInput = whyInput.extend({
	into: z
		.string({ error: 'Enter the address of the other query.' })
		.trim()
		.refine((value) => /^([1-9]\d{0,9}|\S*\/forum\/[^/\s]+\/[^/\s]+\/[1-9]\d{0,9}([?#]\S*)?)$/.test(value), {
			error: 'Enter the address of the other query.',
		})
		.transform((value) => Number(/^\d+$/.test(value) ? value : /\/(\d+)([?#]|$)/.exec(value)?.[1])),
})
