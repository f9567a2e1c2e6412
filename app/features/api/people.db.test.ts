import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { saveAcademics } from '~/features/profile-editor/editing.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'

useDatabase()

const universities = {
	asha: 'Eastmere',
	bo: 'Riverbend',
	cleo: 'Institute of Technology, Eastmere',
	dov: 'Institute of Technology',
}

beforeAll(async () => {
	for (const [username, university_name] of Object.entries(universities)) {
		const member = await makeMember(username)
		await saveAcademics(member, username, { ...filled.academics, university_name, version: 1 })
	}
})

const ask = async (query: Record<string, string>) => {
	const answer = await callApi('GET', `/people?${new URLSearchParams(query)}`)
	const body = (await answer.json()) as { rows?: { username: string }[]; errors?: object }
	return { status: answer.status, names: body.rows?.map(({ username }) => username).toSorted(), errors: body.errors }
}

test.each([
	['Eastmere', ['asha']],
	['Eastmere,Riverbend', ['asha', 'bo']],
	[' Riverbend , Eastmere ,', ['asha', 'bo']],
	['Institute of Technology\\, Eastmere', ['cleo']],
	['Riverbend, Institute of Technology\\, Eastmere', ['bo', 'cleo']],
	['Institute of Technology, Eastmere', ['asha', 'dov']],
])('the universities %s', async (university, names) => {
	expect(await ask({ university })).toMatchObject({ status: 200, names })
})

test.each([
	['year', '9'],
	['year', '3rd'],
	['year', '3,x'],
	['university', 'abcdefghijk'.split('').join()],
	['skill', 'abcdefghijk'.split('').join()],
])('a filter that would be ignored is refused: %s=%s', async (name, value) => {
	expect(await ask({ [name]: value })).toMatchObject({ status: 422, errors: { [name]: expect.any(String) } })
	expect((await ask({ year: '3, 4' })).names).toHaveLength(4)
})
