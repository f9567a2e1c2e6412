import { z } from 'zod'

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
