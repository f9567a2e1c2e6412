import { z } from 'zod'
import { siteDay } from '~/lib/calendar.ts'

/* What moderators add to an action. */

/** The question that another one is merged into: its id, or its address. */
export const mergeInput = z.object({
	into: z
		.string({ error: 'Enter the address of the other query.' })
		.trim()
		.refine(
			(value) => /^([1-9]\d{0,9}|\S*\/forum\/[^/\s]+\/[^/\s]+\/[1-9]\d{0,9}(\/[a-z0-9-]*)?([?#]\S*)?)$/.test(value),
			{
				error: 'Enter the address of the other query.',
			},
		)
		.transform((value) => Number(/^\d+$/.test(value) ? value : /\/forum\/[^/]+\/[^/]+\/(\d+)/.exec(value)?.[1])),
})

/** The last day of a pin. */
export const untilInput = z.object({
	until: z
		.union([z.iso.date('Enter a day such as 2026-12-24.'), z.literal('')])
		.default('')
		.refine((day) => day === '' || day >= siteDay(Date.now()), 'Choose today or a later day.'),
})
