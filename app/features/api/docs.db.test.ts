import { expect, test } from 'vitest'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { saveSection } from '../site-settings/site-settings.server.ts'
import { buildApiDocs } from './docs.server.ts'
import { handleApiRequest } from './mount.server.ts'
import { openApiDocument, operations } from './openapi.server.ts'

useDatabase()

test('every operation has an example call with an existing address', () => {
	const { base, groups } = buildApiDocs(openApiDocument())
	const shown = groups.flatMap((group) => group.operations)
	expect(shown).toHaveLength(operations.length)
	for (const { method, path, curl } of shown) {
		const address = /(\/\S*)/.exec(curl.slice(curl.indexOf(base) + base.length))?.[1] ?? ''
		expect(address).not.toContain('{')
		const params = operations.find((one) => one.path === path && one.method.toUpperCase() === method)?.params ?? {}
		const match = new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(address)
		expect(match, address).not.toBeNull()
		for (const [name, value] of Object.entries(match?.groups ?? {}))
			expect(params[name]?.safeParse(value).success, `${name} in ${address}`).toBe(true)
	}
})

test('describes scopes and enumerations in prose', () => {
	const { groups, shapes } = buildApiDocs(openApiDocument())
	const judge = groups.flatMap((group) => group.operations).find(({ id }) => id === 'judge')
	expect(judge?.scope).toBe('write and moderate')
	const vote = shapes.find(({ name }) => name === 'CastVote')?.fields[0]
	expect(vote).toMatchObject({ name: 'vote', type: '1, 0, -1' })
})

test('names the site as it is called now', async () => {
	const titles = async () => {
		const file = await handleApiRequest(new Request('http://localhost:3000/api/v1/openapi.json'))
		return [openApiDocument().info.title, ((await file.json()) as ReturnType<typeof openApiDocument>).info.title]
	}
	expect(await titles()).toEqual(['DevQuad API', 'DevQuad API'])
	const admin = await makeMember('admin', 'admin')
	await saveSection(admin, 'name', { name: 'Eastmere Quad', version: '1' })
	expect(await titles()).toEqual(['Eastmere Quad API', 'Eastmere Quad API'])
})
