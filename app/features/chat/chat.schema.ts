import { z } from 'zod'
import { cleanText, isStorable } from '~/lib/clean.ts'
import { limits } from './chat.limits.ts'

/** What a message holds. Line breaks around it are nobody's meaning; spaces at its beginning may indent code. */
const body = z
	.string({ error: 'Write something first.' })
	.refine(isStorable, 'The text holds a character that cannot be stored (NUL).')
	.transform((text) =>
		cleanText(text)
			.replace(/^(?:[^\S\n]*\n)+/, '')
			.trimEnd(),
	)
	.refine((text) => text !== '', 'Write something first.')
	.refine(
		(text) => text.length <= limits.messageMax,
		`A message may have at most ${limits.messageMax.toLocaleString('en')} characters.`,
	)

/** What sends a message. */
export const messageInput = z.object({
	body,
	clientId: z
		.uuid({ error: 'This message cannot be told from others. Reload the page and send it again.' })
		.toLowerCase(),
})

/** What changes one. */
export const editInput = z.object({ body })

/** What a report says. */
export const reportInput = z.object({
	words: z
		.string({ error: 'Say in a few words what is wrong.' })
		.refine(isStorable, 'The text holds a character that cannot be stored (NUL).')
		.transform((text) => cleanText(text).trim())
		.refine((text) => text !== '', 'Say in a few words what is wrong.')
		.refine(
			(text) => text.length <= limits.reportMax,
			`A report may have at most ${limits.reportMax.toLocaleString('en')} characters.`,
		),
})

/** Who may begin a conversation with a member, and whether others see them type: one of the two, or both. */
export const settingsInput = z
	.object({
		accepts: z.enum(['members', 'verified', 'nobody'], { error: 'Choose who may write to you.' }).optional(),
		typing: z.enum(['shown', 'hidden'], { error: 'Choose whether others see that you type.' }).optional(),
	})
	.refine(({ accepts, typing }) => accepts ?? typing, 'Choose who may write to you.')

/** Looks like a username; whether somebody has it is another question. */
export function isUsername(value: unknown): value is string {
	return typeof value === 'string' && /^[a-z0-9_.-]{1,64}$/.test(value)
}
