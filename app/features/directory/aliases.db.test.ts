import { beforeAll, expect, test } from 'vitest'
import { setSkills } from '~/features/members/skills.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { criteriaOf } from './directory.paths.ts'
import { listCommunity } from './directory.server.ts'
import { suggest, suggestKnownSkills } from './suggestions.server.ts'

/* People are found by any spelling of their skills: in the search, the filter and the suggestions. */

useDatabase()

const people = {
	gopher: ['Go', 'Kubernetes'],
	reacter: ['React', 'TypeScript'],
	seesharp: ['C#'],
	plainc: ['C'],
	plusplus: ['C++'],
	dotnetter: ['.NET', "Let's Encrypt"],
}

beforeAll(async () => {
	for (const [username, skills] of Object.entries(people)) {
		const { id } = await makeMember(username)
		await db()
			.transaction()
			.execute((trx) => setSkills(trx, id, skills))
	}
})

const found = async (query: string): Promise<string | undefined> =>
	(await listCommunity(criteriaOf(new URLSearchParams(query)), null)).page.rows[0]?.username

test.each([
	['golang', 'gopher'],
	['k8s', 'gopher'],
	['go lang', 'gopher'],
	['reactjs', 'reacter'],
	['react.js', 'reacter'],
	['ts', 'reacter'],
	['c sharp', 'seesharp'],
	['csharp', 'seesharp'],
	['c', 'plainc'],
	['cpp', 'plusplus'],
	['c plus plus', 'plusplus'],
	['.net 8', 'dotnetter'],
	["let's encrypt", 'dotnetter'],
	['golang k8s', 'gopher'],
])('%j finds %s first, in the search, the filter and the suggestions', async (typed, username) => {
	expect(await found(`q=${encodeURIComponent(typed)}`)).toBe(username)
	const filter = typed.includes('golang k8s') ? 'skill=golang&skill=k8s' : `skill=${encodeURIComponent(typed)}`
	expect(await found(filter)).toBe(username)
	expect((await suggest(typed, null)).people[0]?.username).toBe(username)
})

test.each([
	['golang', 'Go'],
	['k8s', 'Kubernetes'],
	['c sharp', 'C#'],
])('of %j the skill %s is suggested', async (typed, name) => {
	expect((await suggestKnownSkills(typed))[0]?.value).toBe(name)
})

test('a spelling of a skill that nobody has finds nobody', async () => {
	expect(await found('q=rustlang')).toBeUndefined()
	expect(await found('skill=rustlang')).toBeUndefined()
})
