import { z } from 'zod'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { formErrorsOf } from '~/platform/http/form.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { problem } from '~/platform/http/problem.ts'

type Parsed = Record<string, never>

const objects = new WeakMap<Operation['params'], z.ZodObject>()

/** The schema of an operation's fields, cached: Zod compiles a new schema on first use, which takes a twentieth of a call. */
function objectOf(fields: Operation['params']): z.ZodObject {
	const object = objects.get(fields) ?? z.object(fields)
	objects.set(fields, object)
	return object
}

/** Parses the path parameters. @throws NotFound for invalid ones */
export function readParams({ params }: Operation, given: Record<string, string>): Parsed {
	const parsed = objectOf(params).safeParse(given)
	if (!parsed.success || Object.values(given).some((value) => value.includes('\u0000')))
		throw new NotFound('There is nothing at this address.')
	return parsed.data as Parsed
}

/** Parses the query string; unknown parameters are ignored. @throws Invalid */
export function readQuery({ query }: Operation, url: URL): Parsed {
	const given = Object.fromEntries([...url.searchParams].map(([name, value]) => [name, value.replaceAll('\u0000', '')]))
	const parsed = objectOf(query).safeParse(given, { error: inWords })
	if (parsed.success) return parsed.data as Parsed
	const { message, fields } = formErrorsOf(parsed.error)
	throw new Invalid(message, fields)
}

/** A message of ours in place of Zod's, which says of a word that it is NaN. */
function inWords({ code, expected }: { code?: string; expected?: unknown }): string | undefined {
	const isNumber = expected === 'number' || expected === 'int'
	return code === 'invalid_type' && isNumber ? 'Send a whole number.' : undefined
}

/**
 * The versions in `If-Match`. Only they count: a vote changes the ETag of a query, but does not conflict with an edit.
 * @returns null without a condition, or for `*`; foreign tags match nothing
 */
export function readIfMatch(request: Request): number[] | null {
	const given = request.headers.get('If-Match')
	if (given === null || given.trim() === '*') return null
	return [...given.matchAll(/"v(\d{1,9})(?:-[\w-]*)?"/g)].map((match) => Number(match[1]))
}

/**
 * Validates the JSON body and returns it unchanged.
 * @returns an error response if it is invalid: 415 for another type, 400 for malformed JSON, 422 for invalid or unknown fields
 */
export async function readBody(
	{ body: schema }: Operation,
	request: Request,
): Promise<Record<string, unknown> | Response> {
	if (!schema) return {}
	const type = request.headers.get('Content-Type') ?? ''
	if (!/^application\/json\s*(;|$)/i.test(type))
		return problem(415, 'Send JSON, with Content-Type: application/json.', { headers: { Accept: 'application/json' } })
	let sent: unknown
	try {
		sent = JSON.parse(await request.text())
	} catch {
		return problem(400, 'The body is not valid JSON.')
	}
	const parsed = schema.safeParse(sent)
	if (parsed.success) return sent as Record<string, unknown>
	const fields: Record<string, string> = {}
	for (const issue of parsed.error.issues) {
		if (issue.code === 'unrecognized_keys') for (const key of issue.keys) fields[key] ??= 'There is no such field.'
		else if (issue.path.length > 0) fields[String(issue.path[0])] ??= issue.message
	}
	const [name, message] = Object.entries(fields)[0] ?? ['', 'Send an object.']
	return problem(422, message === 'There is no such field.' ? `There is no field “${name}”.` : message, { fields })
}
