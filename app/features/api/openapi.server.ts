import { z } from 'zod'
import { createDocument, type oas31, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi'
import { config } from '~/config.server.ts'
import { features } from '~/features/index.server.ts'
import { mergeByName } from '~/platform/feature.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import type { ApiDocument } from './api.view.ts'
import { scopesFor } from './caller.server.ts'

const parts = features.flatMap(({ api }) => api ?? [])

/** The first tags of the description, in this order; others follow in the order of the features. */
const headings = [
	'Queries',
	'Comments',
	'Votes and solutions',
	'Categories and tags',
	'Following',
	'Bookmarks',
	'Answering',
	'Drafts',
	'Pictures',
	'Reports',
	'Moderation',
	'Notifications',
	'Messages',
	'You',
]

/** All operations of the API, in the order of the description. */
export const operations: Operation[] = parts
	.flatMap((part) => part.operations)
	.sort((one, other) => orderOf(one) - orderOf(other))

/** Schemas of inputs and outputs, by their names in the description. */
const apiShapes: Record<string, z.ZodType> = mergeByName(parts.map(({ schemas }) => schemas))

function orderOf({ group }: Operation): number {
	const index = headings.indexOf(group)
	return index < 0 ? headings.length : index
}

/** The meaning of error statuses: of all operations, and of some. */
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

/**
 * The OpenAPI 3.1 description, generated once from the table that also mounts the operations, with the present name of the site.
 * @returns the same object until the name changes
 */
export function openApiDocument(): ApiDocument {
	document ??= build()
	if (document.info.title !== title()) document = { ...document, info: { ...document.info, title: title() } }
	return document
}

const title = () => `${siteName()} API`

let document: ApiDocument | undefined

function build(): ApiDocument {
	const { publicUrl } = config()
	for (const [id, shape] of Object.entries(apiShapes)) z.globalRegistry.add(shape, { ...shape.meta(), id })
	const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
	for (const operation of operations)
		paths[operation.path] = { ...paths[operation.path], [operation.method]: documented(operation) }
	const made = createDocument({
		openapi: '3.1.0',
		info: {
			title: title(),
			version: '1',
			description:
				'The forum and your own messages as JSON. Reading the forum is open; everything else needs an access token or a session.',
		},
		servers: [{ url: `${publicUrl}/api/v1` }],
		tags: [...new Set(operations.map(({ group }) => group))].map((name) => ({ name })),
		paths,
		components: {
			schemas: { Problem: problem },
			securitySchemes: {
				token: { type: 'http', scheme: 'bearer', description: 'An access token, made in the settings.' },
				session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'For pages of this site.' },
			},
		},
	})
	// The library's type covers all of OpenAPI, ours only what is generated here.
	return made as unknown as ApiDocument
}

function documented(operation: Operation): ZodOpenApiOperationObject {
	const { id, group, access, summary, description, body, example, params, query } = operation
	const security: Record<string, string[]>[] = [{ token: scopesFor(operation) }, { session: [] }]
	return {
		operationId: id,
		tags: [group],
		summary,
		...(description && { description }),
		security: access === 'everybody' ? [{}, ...security] : security,
		requestParams: {
			path: z.object(params),
			query: z.object(query),
			header: z.object({
				...(operation.conditional && { 'If-Match': ifMatch }),
				...(operation.repeatable && { 'Idempotency-Key': idempotencyKey }),
			}),
		},
		...(body && {
			requestBody: {
				required: true,
				content: { 'application/json': { schema: body, ...(example && { example }) } },
			},
		}),
		responses: { ...success(operation), ...expected(operation) },
	}
}

const ifMatch = z.string().optional().describe('The ETag of what you read. 412 when it was edited since.')

const idempotencyKey = z
	.string()
	.min(1)
	.max(100)
	.regex(/^[\x21-\x7e]+$/)
	.optional()
	.describe(
		'A key for this call, chosen by you. Within a day, a second call with the same key creates nothing and returns what the first one created; with another body it is refused with 422.',
	)

function success({ status, answer, path, location }: Operation): ZodOpenApiResponsesObject {
	if (!answer) return { 204: { description: 'Done.' } }
	const paged = 'next' in (answer instanceof z.ZodObject ? answer.shape : {})
	const headers = {
		...(paged && { Link: z.string().optional().describe(`The next page of ${path}, rel="next".`) }),
		...(location && { Location: z.string().optional().describe('The address of what was created.') }),
	}
	return {
		[`${status}` as '200']: {
			description: status === 201 ? 'Made.' : 'Found.',
			...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
			content: { 'application/json': { schema: answer } },
		},
	}
}

/** Includes what the mount itself refuses: parameters that name nothing, and invalid fields. */
function expected(operation: Operation): ZodOpenApiResponsesObject {
	const { params, query, body, pictureTooLarge } = operation
	const isNamed = Object.keys(params).length > 0
	const hasFields = body !== null || Object.keys(query).length > 0
	const statuses = new Set([
		...(body ? [400, 413, 415] : []),
		...(isNamed ? [404] : []),
		...(hasFields ? [422] : []),
		...[401, 403, ...operation.refusals, 429],
	])
	return Object.fromEntries(
		[...statuses]
			.sort((one, other) => one - other)
			.map((status) => [
				status,
				{
					description: (status === 413 && pictureTooLarge) || (refusals[status] ?? ''),
					content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
				},
			]),
	)
}

const problem: oas31.SchemaObject = {
	type: 'object',
	description: 'A refusal, after RFC 9457.',
	properties: {
		type: { type: 'string' },
		title: { type: 'string', description: 'The status in words.' },
		status: { type: 'integer' },
		detail: { type: 'string', description: 'What is wrong with this request.' },
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
