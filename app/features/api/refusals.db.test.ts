import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { type ApiCall, callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { openApiDocument, operations } from './openapi.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

/** The path of an operation with parameters that name nothing. */
const nowhere = ({ path }: Operation) =>
	path
		.replace('{kind}', 'query')
		.replace(/\{(\w*[iI]d)\}/g, '2000000000')
		.replace('{key}', 'edit:2000000000')
		.replace(/\{\w+\}/g, 'nobody-and-nothing')

const tables: [what: string, asks: (operation: Operation) => [path: string, asked: ApiCall] | null][] = [
	[
		'names nothing that is there',
		(operation) => [nowhere(operation), operation.example ? { body: operation.example } : {}],
	],
	[
		'has parameters that cannot be right',
		(operation) =>
			operation.path.includes('{')
				? [operation.path.replace(/\{\w+\}/g, 'a%00b'), operation.example ? { body: operation.example } : {}]
				: null,
	],
	['sends nothing', (operation) => [nowhere(operation), operation.body ? { body: {} } : {}]],
	['sends an unknown field', (operation) => (operation.body ? [nowhere(operation), { body: { unknown: 1 } }] : null)],
	[
		'asks with a query string of nonsense',
		(operation) => {
			const names = Object.keys(operation.query)
			return names.length > 0 ? [`${nowhere(operation)}?${names.map((name) => `${name}=%ff~`).join('&')}`, {}] : null
		},
	],
	[
		'has an invalid key',
		(operation) =>
			operation.repeatable
				? [nowhere(operation), { body: operation.example, headers: { 'Idempotency-Key': 'with space' } }]
				: null,
	],
]

test('the limit of a picture is not that of other bodies', () => {
	const tooLarge = (path: string) => openApiDocument().paths[path]?.post?.responses[413]?.description
	expect([tooLarge('/pictures'), tooLarge('/queries')]).toEqual([pictureRefusals.bytes, 'More than 512 KB were sent.'])
})

let count = 0
test.each(operations.map((operation) => [operation.id, operation] as const))(
	'whatever %s refuses is described',
	async (_id, operation) => {
		count += 1
		const caller = await makeMember(`caller-${count}`, operation.staff ? 'admin' : 'member')
		const scopes = ['read', 'write', 'messages:read', 'messages:write', ...(operation.staff ? ['moderate'] : [])]
		const { token } = await makeToken(caller, { name: 'test', scopes, days: 7 })
		const undescribed: unknown[] = []
		for (const [what, asks] of tables) {
			const asked = asks(operation)
			if (!asked) continue
			const [path, given] = asked
			const answer = await callApi(operation.method.toUpperCase(), path, { token, ...given })
			const described = openApiDocument().paths[operation.path]?.[operation.method]?.responses[answer.status]
			if (!described) undescribed.push([what, path, answer.status, await answer.text()])
		}
		expect(undescribed).toEqual([])
	},
)
