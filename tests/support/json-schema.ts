import type { ApiDocument, Schema } from '~/features/api/api.view.ts'

/**
 * Validation errors of a value against a schema of our description, as lines that start with the path. Throws for keywords that it does not
 * implement, so that nothing goes unchecked.
 */
export function mismatches(document: ApiDocument, schema: Schema, value: unknown, place = '$'): string[] {
	if (schema.$ref) return mismatches(document, resolve(document, schema.$ref), value, place)
	const unknown = Object.keys(schema).filter((keyword) => !known.has(keyword))
	if (unknown.length > 0) return [`${place}: the check does not know ${unknown.join(', ')}`]
	if (schema.anyOf) {
		const fits = schema.anyOf.some((one) => mismatches(document, one, value, place).length === 0)
		return fits ? [] : [`${place}: fits none of ${schema.anyOf.length}`]
	}
	if (schema.enum && !schema.enum.includes(value)) return [`${place}: ${String(value)} is none of the choices`]
	const kinds = schema.type === undefined ? [] : [schema.type].flat()
	if (kinds.length > 0 && !kinds.some((kind) => types[kind]?.(value))) return [`${place}: is no ${kinds.join(' or ')}`]
	if (Array.isArray(value))
		return value.flatMap((item, index) => mismatches(document, schema.items ?? {}, item, `${place}[${index}]`))
	if (value === null) return []
	if (schema.type === 'object') return objectMismatches(document, schema, value as Record<string, unknown>, place)
	if (schema.format === 'date-time' && Number.isNaN(Date.parse(String(value)))) return [`${place}: is no time`]
	return []
}

/** Resolves a reference of the document. @throws Error if it does not exist */
export function resolve(document: ApiDocument, ref: string): Schema {
	const found = document.components.schemas[ref.replace('#/components/schemas/', '')]
	if (!found) throw new Error(`${ref} leads nowhere.`)
	return found
}

function objectMismatches(
	document: ApiDocument,
	schema: Schema,
	value: Record<string, unknown>,
	place: string,
): string[] {
	const missing = (schema.required ?? [])
		.filter((name) => !(name in value))
		.map((name) => `${place}.${name}: is missing`)
	const wrong = Object.entries(value).flatMap(([name, field]) => {
		const rule = schema.properties?.[name] ?? schema.additionalProperties
		if (rule === undefined || rule === true) return []
		return rule === false
			? [`${place}.${name}: is not described`]
			: mismatches(document, rule, field, `${place}.${name}`)
	})
	return [...missing, ...wrong]
}

const known = new Set(
	'$ref type description properties required additionalProperties items anyOf enum format minimum maximum'.split(' '),
)

const types: Record<string, (value: unknown) => boolean> = {
	string: (value) => typeof value === 'string',
	integer: Number.isInteger,
	number: (value: unknown) => typeof value === 'number',
	boolean: (value) => typeof value === 'boolean',
	null: (value) => value === null,
	array: Array.isArray,
	object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}
