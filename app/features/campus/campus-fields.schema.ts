import { z } from 'zod'
import { cleanLine } from '~/lib/clean.ts'

/** The label of members who come by one invitation, or whom the university counts together. */
export const cohortField = z
	.string()
	.default('')
	.transform((text) => cleanLine(text))
	.pipe(z.string().max(60, 'A cohort has at most 60 characters.'))
