import { z } from 'zod'
import { cleanLine, isStorable } from '~/lib/clean.ts'
import { lifetimes, scopes, tokenLimits } from './tokens.view.ts'

const noName = 'Give the token a name, so that you can recognize it.'

/** The form for a new token; `scopes` is a list, `days` one of the lifetimes. */
export const tokenInput = z.object({
	name: z
		.string({ error: noName })
		.refine(isStorable, 'The name contains an invalid character (NUL).')
		.transform(cleanLine)
		.refine((name) => name !== '', noName)
		.refine((name) => name.length <= tokenLimits.nameMax, `A name has at most ${tokenLimits.nameMax} characters.`),
	scopes: z
		.array(z.enum(scopes, 'This permission does not exist.'))
		.min(1, 'Choose at least one permission.')
		.transform((list) => scopes.filter((scope) => list.includes(scope))),
	days: z.coerce.number().refine((days) => lifetimes.some((known) => known === days), 'Choose when the token expires.'),
})
