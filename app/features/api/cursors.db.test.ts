import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import '~/features/index.server.ts'
import { DomainError } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { readParams, readQuery } from './input.server.ts'
import { operations } from './openapi.server.ts'

useDatabase()

let ada: SignedIn
let questionId: number

beforeAll(async () => {
	ada = await makeMember('ada', 'admin')
	const ben = await makeMember('ben')
	questionId = (await makeQuestion(ben)).id
	await makeComment(ada, questionId)
})

const numbers = [0, -1, 1.5, 2 ** 31, -(2 ** 31) - 1, 1e300, -1e300, 5e-324]
const texts = ['', '\0', 'x', '1', '12.5', '1e-99', '1e-999', '9e999', 'NaN', 'Infinity', '-infinity', '9'.repeat(60)]
const times = ['0001-01-01T00:00:00Z', '9999-12-31T24:00:00-15:59', '2026-02-30T00:00:00Z', '10000-01-01T00:00:00Z']
const hostile = [...numbers, ...texts, ...times]
const uuid = '00000000-0000-0000-0000-000000000000'

const cursors = [
	...hostile.map((one) => [one]),
	...hostile.flatMap((one) => [
		[one, 1],
		[1, one],
		['2026-01-01T00:00:00Z', one],
		['before', one],
		['after', one],
		['all', one, uuid],
		['all', '0.5', one],
		['near', one, uuid],
		['newest', one, 1],
		['active', one, 1],
		['relevance/typos', one, 1],
	]),
].map(encodeCursor)

/** Each list of the API, and the parameters that choose another order or kind of cursor. */
const lists = operations
	.filter(({ method, query }) => method === 'get' && 'cursor' in query)
	.flatMap((operation) =>
		['', 'q=number', 'view=active', 'sort=best', 'sort=active', 'order=reported', 'in=projects&q=number']
			.filter(
				(text) => z.strictObject(operation.query).safeParse(Object.fromEntries(new URLSearchParams(text))).success,
			)
			.map((text) => ({ name: `${operation.id} ${text}`, operation, text })),
	)

test.each(lists)('$name: a forged cursor is answered with a page or a refusal', async ({ operation, text }) => {
	const given = { id: String(questionId), username: 'ben', slug: 'others', name: 'x' }
	const named = Object.entries(given).filter(([name]) => name in operation.params)
	const params = readParams(operation, Object.fromEntries(named))
	const failed: unknown[] = []
	for (const cursor of cursors) {
		const url = new URL(`http://site.test/?${text}&cursor=${cursor}`)
		const call = { viewer: ada, params, query: readQuery(operation, url), body: {}, ifMatch: null, key: null }
		await operation.run(call as never).catch((error: unknown) => {
			if (!(error instanceof DomainError)) failed.push([Buffer.from(cursor, 'base64url').toString(), String(error)])
		})
	}
	expect(failed).toEqual([])
})
