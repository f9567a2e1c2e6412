import type { z } from 'zod'
import { Invalid } from '~/lib/errors.ts'
import { formErrorsOf } from './problem.ts'

/**
 * What a form sent, as its schema reads it.
 * @throws Invalid with the first message on top and the first of each field at the field
 */
export function parseForm<Schema extends z.ZodType>(schema: Schema, form: FormData): z.output<Schema> {
	return parseInput(schema, Object.fromEntries(form))
}

/** As {@link parseForm}, for input that did not come as a form. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
	const parsed = schema.safeParse(input)
	if (parsed.success) return parsed.data
	const { message, fields } = formErrorsOf(parsed.error)
	throw new Invalid(message, fields)
}

/* What every use case that writes begins with. */

/** What a use case takes from a form: field names to texts. It is parsed there, whatever the caller did. */
export type Input = Record<string, unknown>
