import { z } from 'zod'
import { Invalid } from '~/lib/errors.ts'

/** The largest résumé that is read, in bytes. */
export const largestResume = 1_048_576

/** JSON Resume needs 6 levels, with what this site adds; nobody writes 32 by hand. */
const deepest = 32
const MAX_ENTRIES = 500

const noObject = 'This has to be an object: { … }'
const noList = 'This has to be a list of objects: [ { … } ]'
const tooMany = `At most ${MAX_ENTRIES} entries are read.`

const entry = z.record(z.string(), z.unknown(), { error: noObject })
const entries = z.array(entry, { error: noList }).max(MAX_ENTRIES, tooMany).nullish()

/**
 * The bones of a document: what has to be an object is one, what has to be a list is one. Whether the texts in it are texts is
 * seen where they are read, so that one wrong field does not cost the whole document.
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

export type ReadDocument = z.output<typeof shape>

/**
 * A document of JSON Resume, from its text.
 * @throws Invalid that says where it is not one
 */
export function readDocument(text: string): ReadDocument {
	if (text.trim() === '') throw refusal('Choose a file, or paste its text.')
	if (new TextEncoder().encode(text).length > largestResume) throw refusal('A résumé has at most 1 MB.')
	if (depthOf(text) > deepest)
		throw refusal(`The text is nested more than ${deepest} levels deep: this is not a résumé.`)
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

/** How deep lists and objects stand in one another, counted before anything is built of them. */
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
