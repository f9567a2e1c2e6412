import { z } from 'zod'
import { Invalid } from '~/lib/errors.ts'

/** The maximum size of a résumé, in bytes. */
export const MAX_RESUME_BYTES = 1_048_576

/** The maximum nesting. JSON Resume needs 6 levels, including this site's extensions. */
const MAX_DEPTH = 32
const MAX_ENTRIES = 500

const noObject = 'This has to be an object: { … }'
const noList = 'This has to be a list of objects: [ { … } ]'
const tooMany = `At most ${MAX_ENTRIES} entries are read.`

const entry = z.record(z.string(), z.unknown(), { error: noObject })
const entries = z.array(entry, { error: noList }).max(MAX_ENTRIES, tooMany).nullish()

/**
 * The structure of a document: which parts are objects and lists. Texts are validated when they are read, so that one wrong field does not
 * invalidate the document.
 */
const shape = z.looseObject(
	{
		basics: z.looseObject({ location: entry.nullish(), profiles: entries }, { error: noObject }).nullish(),
		education: entries,
		work: entries,
		volunteer: entries,
		certificates: entries,
		projects: entries,
		skills: z
			.array(z.union([z.string(), entry], { error: noObject }), { error: noList })
			.max(MAX_ENTRIES, tooMany)
			.nullish(),
		meta: z
			.looseObject(
				{
					devquad: z
						.looseObject(
							{
								personal_details: entry.nullish(),
								academics: entry.nullish(),
								education: entries,
								certificates: entries,
								projects: entries,
							},
							{ error: noObject },
						)
						.nullish(),
				},
				{ error: noObject },
			)
			.nullish(),
	},
	{ error: 'A résumé is one JSON object: { "basics": { … }, … }' },
)

export type ParsedResume = z.output<typeof shape>

/** Parses a JSON Resume document. @throws Invalid that says what is wrong */
export function parseResume(text: string): ParsedResume {
	if (text.trim() === '') throw refusal('Choose a file, or paste its text.')
	if (new TextEncoder().encode(text).length > MAX_RESUME_BYTES) throw refusal('A résumé has at most 1 MB.')
	if (depthOf(text) > MAX_DEPTH)
		throw refusal(`The text is nested more than ${MAX_DEPTH} levels deep: this is not a résumé.`)
	const parsed = shape.safeParse(parseJson(text))
	if (parsed.success) return parsed.data
	const issue = parsed.error.issues[0]
	const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
	throw refusal([path.replace(/^\./, ''), issue?.message].filter(Boolean).join(': '))
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''))
	} catch (error) {
		throw refusal(`This is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
	}
}

/** The nesting depth, determined before the text is parsed. */
function depthOf(text: string): number {
	let depth = 0
	let deepestSeen = 0
	let quoted = false
	for (let at = 0; at < text.length; at += 1) {
		const character = text[at]
		if (quoted) {
			if (character === '\\') at += 1
			else if (character === '"') quoted = false
		} else if (character === '"') quoted = true
		else if (character === '{' || character === '[') deepestSeen = Math.max(deepestSeen, ++depth)
		else if (character === '}' || character === ']') depth -= 1
	}
	return deepestSeen
}

function refusal(message: string): Invalid {
	return new Invalid(message, { document: message })
}
