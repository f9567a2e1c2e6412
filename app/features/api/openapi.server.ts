import { z } from 'zod'
import { config } from '~/config.server.ts'
import { features } from '~/features/index.server.ts'
import { mergeByName } from '~/platform/feature.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { scopesFor } from './caller.server.ts'
import type { ApiDocument, DocumentedOperation, Schema } from './openapi.ts'

const parts = features.flatMap(({ api }) => api ?? [])

/** The headings that come first in the description, in this order; any others follow in the order of the features. */
const headings = [
	'Queries',
	'Comments',
	'Votes and solutions',
	'Categories and tags',
	'Following',
	'Drafts',
	'Pictures',
	'Reports',
	'Moderation',
	'Notifications',
	'Messages',
	'You',
]

/** Everything that the API can do, in the order of the description. */
export const operations: Operation[] = parts
	.flatMap((part) => part.operations)
	.sort((one, other) => orderOf(one) - orderOf(other))

/** The shapes that operations take and tell, by the names that the description gives them. */
const apiShapes: Record<string, z.ZodType> = mergeByName(parts.map(({ schemas }) => schemas))

function orderOf({ group }: Operation): number {
	const index = headings.indexOf(group)
	return index < 0 ? headings.length : index
}

/** What refusals mean, by status. Those of every operation, and those that some add. */
const refusals: Record<number, string> = {
	400: 'The body is not valid JSON.',
	401: 'No session, no token, or a token that does not work.',
	403: 'The caller may not do this, or the token lacks the scope.',
	404: 'It does not exist, or no longer does.',
	409: 'It has changed. An edit answers with both texts: `stored` and `sent`.',
	412: '`If-Match` names another version than the stored one. The answer has both texts: `stored` and `sent`.',
	413: 'More than 512 KB were sent.',
	415: 'The body is not sent as JSON.',
	422: 'A field is invalid; `errors` says which and why.',
	429: 'Too many calls; `Retry-After` says how many seconds to wait.',
}

/** The description of the API after OpenAPI 3.1, made of the table that also mounts it. */
export function openApiDocument(): ApiDocument {
	document ??= build()
	return document
}

let document: ApiDocument | undefined

function build(): ApiDocument {
	const { publicUrl, SITE_NAME } = config()
	const paths: ApiDocument['paths'] = {}
	for (const operation of operations) {
		paths[operation.path] ??= {}
		const path = paths[operation.path] as Record<string, DocumentedOperation>
		path[operation.method] = documented(operation)
	}
	return {
		openapi: '3.1.0',
		info: {
			title: `${SITE_NAME} API`,
			version: '1',
			description:
				'The forum and your own messages as JSON. Reading the forum is open; everything else needs an access token or a session.',
		},
		servers: [{ url: `${publicUrl}/api/v1` }],
		tags: [...new Set(operations.map(({ group }) => group))].map((name) => ({ name })),
		paths,
		components: {
			schemas: { ...schemasOf(), Problem: problemSchema },
			securitySchemes: {
				token: { type: 'http', scheme: 'bearer', description: 'An access token, made in the settings.' },
				session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'For pages of this site.' },
			},
		},
	}
}

function documented(operation: Operation): DocumentedOperation {
	const { id, group, access, summary, description, body, example } = operation
	const security: Record<string, string[]>[] = [{ token: scopesFor(operation) }, { session: [] }]
	return {
		operationId: id,
		tags: [group],
		summary,
		...(description && { description }),
		security: access === 'everybody' ? [{}, ...security] : security,
		parameters: [
			...parameters('path', operation.params),
			...parameters('query', operation.query),
			...(operation.conditional ? [ifMatch] : []),
			...(operation.repeatable ? [idempotencyKey] : []),
		],
		...(body && {
			requestBody: {
				required: true,
				content: { 'application/json': { schema: refTo(body), ...(example && { example }) } },
			},
		}),
		responses: { ...success(operation), ...expected(operation) },
	}
}

const ifMatch = {
	name: 'If-Match',
	in: 'header',
	required: false,
	description: 'The ETag of what you read. 412 when it was edited since.',
	schema: { type: 'string' },
} as const

const idempotencyKey = {
	name: 'Idempotency-Key',
	in: 'header',
	required: false,
	description:
		'A key for this call, chosen by you. Within a day, a second call with the same key creates nothing and returns what the first one created; with another body it is refused with 422.',
	schema: { type: 'string', minLength: 1, maxLength: 100, pattern: '^[\\x21-\\x7e]+$' },
} as const

function parameters(where: 'path' | 'query', fields: Operation['params']): DocumentedOperation['parameters'] {
	return Object.entries(fields).map(([name, field]) => {
		const { $schema: _, description, ...schema } = z.toJSONSchema(field, { io: 'input' }) as Schema
		const required = where === 'path' || !field.safeParse(undefined).success
		return { name, in: where, required, ...(description && { description }), schema }
	})
}

function success({ status, answer, path, location }: Operation): DocumentedOperation['responses'] {
	if (!answer) return { 204: { description: 'Done.' } }
	const schema = refTo(answer)
	const paged = 'next' in (answer instanceof z.ZodObject ? answer.shape : {})
	const headers = {
		...(paged && { Link: { description: `The next page of ${path}, rel="next".`, schema: { type: 'string' } } }),
		...(location && { Location: { description: 'The address of what was created.', schema: { type: 'string' } } }),
	}
	const description = status === 201 ? 'Made.' : 'Found.'
	return {
		[status]: {
			description,
			...(Object.keys(headers).length > 0 && { headers }),
			content: { 'application/json': { schema } },
		},
	}
}

function expected(operation: Operation): DocumentedOperation['responses'] {
	const sends = operation.body ? [400, 413, 415] : []
	const statuses = new Set([...sends, 401, 403, ...operation.refusals, 429])
	return Object.fromEntries(
		[...statuses]
			.sort((one, other) => one - other)
			.map((status) => [
				status,
				{
					description: refusals[status] ?? '',
					content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
				},
			]),
	)
}

/** @throws Error for a shape without a name, so that none is described twice */
function refTo(schema: z.ZodType): Schema {
	const name = Object.entries(apiShapes).find(([, shape]) => shape === schema)?.[0]
	if (!name) throw new Error('A shape of the API has no name. Add it to the shapes of its feature.')
	return { $ref: `#/components/schemas/${name}` }
}

/** Input is described as it comes in, output as it goes out. */
function schemasOf(): Record<string, Schema> {
	const sent = new Set<z.ZodType>(operations.flatMap(({ body }) => body ?? []))
	return { ...converted('input', (shape) => sent.has(shape)), ...converted('output', (shape) => !sent.has(shape)) }
}

function converted(io: 'input' | 'output', wanted: (shape: z.ZodType) => boolean): Record<string, Schema> {
	const registry = z.registry<{ id: string }>()
	for (const [id, shape] of Object.entries(apiShapes)) if (wanted(shape)) registry.add(shape, { id })
	const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` })
	return Object.fromEntries(
		Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema as Schema]),
	)
}

const problemSchema: Schema = {
	type: 'object',
	description: 'A refusal, after RFC 9457.',
	properties: {
		type: { type: 'string' },
		title: { type: 'string', description: 'The status in words.' },
		status: { type: 'integer' },
		detail: { type: 'string', description: 'What is wrong with this very request.' },
		errors: {
			type: 'object',
			description: 'A message for each field that is wrong.',
			additionalProperties: { type: 'string' },
		},
		stored: { type: 'object', description: 'With a stale edit: the text that is stored now.' },
		sent: { type: 'object', description: 'With a stale edit: the text that you sent.' },
	},
	required: ['type', 'title', 'status', 'detail'],
	additionalProperties: false,
}
