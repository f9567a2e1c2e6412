import { z } from 'zod'
import { cleanLine, isStorable } from '~/lib/clean.ts'
import { lifetimes, scopes, tokenLimits } from './tokens.view.ts'

const noName = 'Give the token a name, so that you know it again.'

/** What the form for a new token sends; `scopes` is a list, `days` one of the lifetimes. */
export const tokenInput = z.object({
	name: z
		.string({ error: noName })
		.refine(isStorable, 'The name holds a character that cannot be stored (NUL).')
		.transform(cleanLine)
		.refine((name) => name !== '', noName)
		.refine((name) => name.length <= tokenLimits.nameMax, `A name has at most ${tokenLimits.nameMax} characters.`),
	scopes: z
		.array(z.enum(scopes, 'There is no such permission.'))
		.min(1, 'Choose at least one thing that the token may do.')
		.transform((list) => scopes.filter((scope) => list.includes(scope))),
	days: z.coerce
		.number()
		.refine((days) => lifetimes.some((known) => known === days), 'Choose how long the token works.'),
})
