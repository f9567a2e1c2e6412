import type { z } from 'zod'

/** Why a form is refused: a line on top, and a message for each field. */
export interface Problems {
	message: string
	fields: Record<string, string>
}

/** The first message of a refusal on top, and the first of each field at the field. */
export function problemsOf(error: z.ZodError): Problems {
	const fields: Record<string, string> = {}
	for (const issue of error.issues) fields[String(issue.path[0] ?? '')] ??= issue.message
	return { message: error.issues[0]?.message ?? 'Something is missing.', fields }
}
