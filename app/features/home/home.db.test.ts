import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { listCommunity } from '~/features/directory/directory.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { makeTab } from '../../../tests/factories/presence.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { NO_CRITERIA } from '../directory/directory.paths.ts'
import { getHome } from './home.server.ts'

useDatabase()

const day = 24 * 60 * 60 * 1000

beforeEach(async () => {
	await sql`truncate users restart identity cascade`.execute(db())
})

test('an empty site has a home page', async () => {
	const home = await getHome(null)
	expect(home).toMatchObject({ lead: null, people: [], recent: [], figures: { online: 0, askedToday: 0 } })
})

test.each([
	['today', 0],
	['this week', 3],
	['this month', 20],
	['lately', 400],
])('the lead of a forum is called “%s” when its newest query is %i days old', async (within, age) => {
	const author = await db()
		.insertInto('users')
		.values({ username: 'mira', name: 'Mira', email: 'mira@campus.example', image: null })
		.returning('id')
		.executeTakeFirstOrThrow()
	const category = await db()
		.selectFrom('categories')
		.select('id')
		.where('slug', '=', 'others')
		.executeTakeFirstOrThrow()
	const { id } = await db()
		.insertInto('questions')
		.values({
			author_id: author.id,
			category_id: category.id,
			title: 'What is a monad?',
			description: '`x`',
			description_html: '<p>Like this:</p><div class="code"><pre><code>x &lt; y</code></pre></div><pre>second</pre>',
			excerpt: 'Like this:',
			source: null,
			source_id: null,
			source_url: null,
			licence: null,
			comment_count: 2,
			created_at: new Date(Date.now() - age * day),
		})
		.returning('id')
		.executeTakeFirstOrThrow()
	const { lead, recent, people } = await getHome(null)
	expect(lead).toMatchObject({ within, question: { id, codeHtml: '<pre><code>x &lt; y</code></pre>' } })
	expect(recent).toEqual([])
	expect(people.map(({ username }) => username)).toEqual(['mira'])
})

test('members online are shown and counted once; unlisted ones are not', async () => {
	const [listed, unlisted] = [await makeMember('mira'), await makeMember('odalys')]
	await db()
		.insertInto('profiles')
		.values({ user_id: unlisted.id, listed: false, ...noYears })
		.execute()
	for (const { id } of [listed, listed, unlisted]) await makeTab(id)
	const { figures, people } = await getHome(null)
	expect(figures.online).toBe(1)
	expect(people.map(({ username, online }) => ({ username, online }))).toEqual([{ username: 'mira', online: true }])
})

test('a few members online are followed by the newest ones, and many stand alone', async () => {
	const ids = new Map<string, number>()
	for (const name of ['ana', 'ben', 'cleo', 'dev', 'eve', 'finn']) ids.set(name, (await makeMember(name)).id)
	const shown = async () => {
		const { people } = await getHome(null)
		return people.map(({ username, online }) => username + (online ? ' online' : ''))
	}
	expect(await shown()).toEqual(['finn', 'eve', 'dev', 'cleo', 'ben'])
	const stages = {
		ben: ['ben online', 'finn', 'eve', 'dev'],
		eve: ['eve online', 'ben online', 'finn', 'dev'],
		ana: ['ana online', 'eve online', 'ben online', 'finn'],
		dev: ['dev online', 'ana online', 'eve online', 'ben online'],
	}
	for (const [name, people] of Object.entries(stages)) {
		await makeTab(ids.get(name) ?? 0)
		expect(await shown()).toEqual(people)
	}
})

test('a member whose tab is not recorded yet counts as online, unless they hide it', async () => {
	const [mira, odalys] = [await makeMember('mira'), await makeMember('odalys')]
	await db()
		.insertInto('profiles')
		.values({ user_id: odalys.id, show_presence: false, ...noYears })
		.execute()
	const inFilters = async (viewer: Viewer) =>
		(await listCommunity(NO_CRITERIA, null, viewer)).filters.online.count?.number ?? Number.NaN
	// How many more members a member is shown than a visitor, on the home page and beside the filter.
	const more = async (viewer: SignedIn) => [
		(await getHome(viewer)).figures.online - (await getHome(null)).figures.online,
		(await inFilters(viewer)) - (await inFilters(null)),
	]
	expect([await more(mira), await more(odalys)]).toEqual([
		[1, 1],
		[0, 0],
	])
	await makeTab(mira.id)
	expect(await more(mira)).toEqual([0, 0])
})

const noYears = { year_of_passing: null, current_semester: null, current_year: null }
