import { z } from 'zod'
import { cleanLine, isStorable, unstorableMessage } from '~/lib/clean.ts'
import { webhookEvents, webhookLimits } from './webhooks.view.ts'

const line = (missing: string, max: number) =>
	z
		.string({ error: missing })
		.refine(isStorable, unstorableMessage)
		.transform(cleanLine)
		.refine((text) => text !== '', missing)
		.refine((text) => text.length <= max, `At most ${max} characters.`)

/** The form of a webhook; `events` is a list, `enabled` a checkbox. */
export const webhookInput = z.object({
	name: line('Enter a name.', webhookLimits.nameMax),
	url: line('Enter the address.', webhookLimits.urlMax),
	events: z
		.array(z.enum(webhookEvents, 'There is no such event.'))
		.min(1, 'Choose at least one event.')
		.transform((chosen) => webhookEvents.filter((event) => chosen.includes(event))),
	enabled: z.literal('on').optional().transform(Boolean),
})

export type WebhookInput = z.output<typeof webhookInput>
