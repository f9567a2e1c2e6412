import { usageLimits } from '~/features/rate-limits/limits.server.ts'
import type { ApiDocs, ApiDocument, DocumentedOperation, FieldDoc, OperationDoc, Schema } from './api.view.ts'
import { openApiDocument } from './openapi.server.ts'

let own: ApiDocs | undefined

/** The documentation of this site's API, generated once per process. */
export function siteApiDocs(): ApiDocs {
	own ??= buildApiDocs(openApiDocument())
	return own
}

/** Generates the documentation from a description, its only input. */
export function buildApiDocs(document: ApiDocument): ApiDocs {
	const all = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
	)
	const base = document.servers[0]?.url ?? ''
	const { schemas } = document.components
	return {
		base,
		rates: { read: usageLimits.apiReads.member, write: usageLimits.apiWrites.member },
		groups: document.tags.map(({ name }) => ({
			name,
			id: `group-${name.toLowerCase().replaceAll(' ', '-')}`,
			operations: all
				.filter(({ operation }) => operation.tags.includes(name))
				.map(({ path, method, operation }) => operationDoc(path, method, operation, schemas, base)),
		})),
		shapes: Object.entries(schemas)
			.sort(([one], [other]) => one.localeCompare(other))
			.map(([name, schema]) => ({ name, fields: fieldDocs(schema) })),
	}
}

function operationDoc(
	path: string,
	method: string,
	operation: DocumentedOperation,
	schemas: Record<string, Schema>,
	base: string,
): OperationDoc {
	const sent = operation.requestBody?.content['application/json']
	const open = operation.security.some((way) => Object.keys(way).length === 0)
	return {
		id: operation.operationId,
		method: method.toUpperCase(),
		path,
		summary: operation.summary,
		description: operation.description ?? '',
		access: open ? 'Open to everybody' : 'For members',
		scope: operation.security.find((way) => way.token)?.token?.join(' and ') ?? '',
		parameters: operation.parameters.map(({ name, required = false, description, schema }) => ({
			name,
			required,
			...typeOf(schema),
			note: [description, notes(schema)].filter(Boolean).join(' '),
		})),
		body: sent ? fieldDocs(schemas[nameOf(sent.schema) ?? ''] ?? {}) : [],
		answers: Object.entries(operation.responses).map(([status, { description, content }]) => ({
			status,
			text: description,
			shape: nameOf(Object.values(content ?? {})[0]?.schema ?? {}),
		})),
		curl: curl(`${base}${path}`, method, open, sent?.example),
	}
}

function fieldDocs(schema: Schema): FieldDoc[] {
	return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
		name,
		...typeOf(field),
		required: schema.required?.includes(name) ?? false,
		note: [field.description, notes(field)].filter(Boolean).join(' '),
	}))
}

const words: Record<string, string> = { string: 'text', integer: 'whole number', boolean: 'yes or no', null: 'null' }

function typeOf(schema: Schema): { type: string; shape: string | null } {
	const shape = nameOf(schema)
	if (shape) return { type: shape, shape }
	if (Array.isArray(schema.type) && schema.format) {
		const { type, shape } = typeOf({ ...schema, type: 'string' })
		return { type: `${type} or null`, shape }
	}
	if (schema.anyOf) {
		const kinds = schema.anyOf.map(typeOf)
		return { type: kinds.map(({ type }) => type).join(' or '), shape: kinds.find((kind) => kind.shape)?.shape ?? null }
	}
	if (schema.type === 'array') {
		const { type, shape } = typeOf(schema.items ?? {})
		return { type: `list of ${type}`, shape }
	}
	if (schema.enum)
		return {
			type: schema.enum.map((value) => (typeof value === 'string' ? `“${value}”` : value)).join(', '),
			shape: null,
		}
	if (schema.format === 'date-time') return { type: 'time, ISO 8601 in UTC', shape: null }
	if (schema.properties) return { type: `{ ${Object.keys(schema.properties).join(', ')} }`, shape: null }
	const kinds = [schema.type ?? 'object'].flat()
	return { type: kinds.map((kind) => words[kind] ?? kind).join(' or '), shape: null }
}

function notes({ minLength, maxLength, minimum, maximum, default: preset, type }: Schema): string {
	const bounds = type === 'integer' && maximum === 2_147_483_647 ? '' : range(minimum, maximum, '')
	const parts = [
		range(minLength, maxLength, ' characters'),
		bounds,
		preset === undefined ? '' : `${preset} unless given`,
	]
	const said = parts.filter(Boolean).join('; ')
	return said && `${said.replace(/^./, (letter) => letter.toUpperCase())}.`
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
	if (to === undefined) return ''
	return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`
}

function nameOf(schema: Schema): string | null {
	return schema.$ref?.split('/').at(-1) ?? null
}

/** Example values of parameters. */
const fillings: Record<string, string> = { id: '1', slug: 'python', key: 'ask', username: 'nell' }

/** An example call for a shell. */
function curl(url: string, method: string, open: boolean, example: unknown): string {
	const filled = url
		.replace(/\{kind\}\/\{(name|id)\}/, 'query/1')
		.replace(/\{(\w+)\}/g, (_, name: string) => fillings[name] ?? 'git')
	const lines = [
		`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${filled}`,
		...(open ? [] : ['  -H "Authorization: Bearer $DEVQUAD_TOKEN"']),
		...(example
			? ['  -H "Content-Type: application/json"', `  -d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`]
			: []),
	]
	return lines.join(' \\\n')
}
