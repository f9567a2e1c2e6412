import { beforeAll, expect, test } from 'vitest'
import { suggestMentions } from '~/features/asking/asking.server.ts'
import { type Criteria, NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listJoinedAfter } from '~/features/directory/directory.queries.server.ts'
import { listCommunity, listNewest, listOnline, listSkills } from '~/features/directory/directory.server.ts'
import { suggest, suggestKnownSkills } from '~/features/directory/suggestions.server.ts'
import { getIntroduction } from '~/features/members/members.server.ts'
import { savePersonal } from '~/features/profile-editor/editing.server.ts'
import { getShareCard } from '~/features/profiles/share-card.server.ts'
import { parseSearch } from '~/features/search/parse.ts'
import { correctSearch } from '~/features/search/spelling.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { makeTab } from '../../../tests/factories/presence.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getHome } from './home.server.ts'

useDatabase()

/** A member who does not want to be found and an imported author, both with everything that others are found by. */
const hidden = ['zanders', 'zandrina'] as const

beforeAll(async () => {
	await makeMember('anybody')
	for (const username of [...hidden, 'zandora']) {
		const member = await makeMember(username)
		const values = { ...filled.personal, fullName: `Z. ${username}`, skills: `${username}ism`, listed: 'on' }
		await savePersonal(member, username, { ...values, version: '1' })
		await makeTab(member.id)
		await makeQuestion(member, { title: `Asked by ${username}` })
	}
	const [unlisted, imported] = hidden
	await db()
		.updateTable('profiles')
		.set({ listed: false })
		.where('user_id', '=', db().selectFrom('users').select('id').where('username', '=', unlisted))
		.execute()
	await db().updateTable('users').set({ imported: true }).where('username', '=', imported).execute()
})

const community = async (criteria: Criteria) => (await listCommunity(criteria)).page.rows

/** Every endpoint that shows members to others, reduced to one member. */
const endpoints: [string, (username: string) => Promise<unknown>][] = [
	['the community', () => community(NO_CRITERIA)],
	['the community, by the username', (q) => community({ ...NO_CRITERIA, q })],
	['the community, by a part of the name', (q) => community({ ...NO_CRITERIA, q: q.slice(0, 4) })],
	['the community, by a skill', (q) => community({ ...NO_CRITERIA, q: `${q}ism` })],
	[
		'the filters of the community, by a skill',
		async (q) => {
			const { criteria: _asked, saveable: _named, ...shown } = await listCommunity({ ...NO_CRITERIA, q: `${q}ism` })
			return shown
		},
	],
	['the community, by who is online', () => community({ ...NO_CRITERIA, online: true })],
	['suggestions of members', (q) => suggest(q, null)],
	['suggestions of members, from a part', (q) => suggest(q.slice(0, 4), null)],
	['suggestions of skills', (q) => suggestKnownSkills(q)],
	['the newest members', () => listNewest(null, 10)],
	['the members online', () => listOnline(null, 10)],
	['the skills', () => listSkills(10)],
	['who joined since', () => listJoinedAfter('anybody')],
	['who may be mentioned', (q) => suggestMentions(q.slice(0, 4), 0, 8)],
	['who may be mentioned, by the whole username', (q) => suggestMentions(q, 0, 8)],
	[
		'a search for what somebody asked, with a typing error',
		async (q) => (await correctSearch(parseSearch(`user:${q.slice(0, -1)}`)))?.searchFor?.('') ?? null,
	],
	['the line about a member', async (q) => (await getIntroduction(q)).summary],
]

test.each(endpoints)('%s shows listed members only', async (endpoint, answerOf) => {
	for (const username of hidden) {
		const told = JSON.stringify(await answerOf(username))
		expect(told).not.toContain(username)
	}
	const found = JSON.stringify(await answerOf('zandora'))
	if (endpoint !== 'the line about a member') expect(found).toContain('zandora')
	else expect(found).toContain('zandoraism')
})

test('the home page shows questions of unlisted members, but neither shows nor counts the members', async () => {
	const { people, skills, figures } = await getHome(null)
	// Who is online, and below, as these are few, the newest members.
	expect(people.map(({ username }) => username)).toEqual(['zandora', 'anybody'])
	expect(skills.map(({ name }) => name)).toEqual(['zandoraism'])
	expect(figures.online).toBe(1)
})

test('the order of joining does not reveal an unlisted member', async () => {
	for (const username of [...hidden, 'nobody']) expect(await listJoinedAfter(username)).toEqual([])
})

test('an unlisted member has the site’s own share card', async () => {
	const tagOf = async (username: string) => (await getShareCard(username)).tag
	for (const username of hidden) expect(await tagOf(username)).toBe(await tagOf('nobody'))
	expect(await tagOf('zandora')).not.toBe(await tagOf('nobody'))
})

test('participants of a question can be mentioned there, listed or not', async () => {
	const { id } = await makeQuestion(await makeMember('asker'))
	const [unlisted] = hidden
	const { id: userId } = await db()
		.selectFrom('users')
		.select('id')
		.where('username', '=', unlisted)
		.executeTakeFirstOrThrow()
	await makeComment({ id: userId, username: unlisted, name: 'Z', image: null, role: 'member' }, id)
	expect((await suggestMentions('zand', id, 8)).map(({ username }) => username)).toEqual([unlisted, 'zandora'])
	expect((await suggestMentions('zand', 0, 8)).map(({ username }) => username)).toEqual(['zandora'])
})
