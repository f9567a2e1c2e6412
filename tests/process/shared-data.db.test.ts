import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { editQuestion } from '~/features/asking/asking.server.ts'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeQuestion } from '../factories/forum.ts'
import { filled } from '../factories/profiles.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

useDatabase()

/* Rows that members' lists share are cached. They must contain no data of a single member, and never be older than a write. */

let site: MembersSite
const cookies: Record<string, string> = { visitor: '' }
const members: Record<string, SignedIn> = {}
const questions: Record<string, { id: number; url: string }> = {}
const texts = { description: 'How does it work?', tags: 'sharing', category: 'python' }

beforeAll(async () => {
	site = await startOnTestDatabase()
	for (const who of ['mira', 'ravi', 'mod'] as const) {
		const { member, cookie } = await logInMember(site, who, who === 'mod' ? 'moderator' : 'member')
		members[who] = member
		cookies[who] = cookie
	}
	for (const who of ['mira', 'ravi'])
		questions[who] = await makeQuestion(members[who] as SignedIn, { ...texts, title: `A question of ${who}` })
})

afterAll(() => site?.stop())

const people = ['visitor', 'mira', 'ravi', 'mod']
const views = ['/forum?view=unanswered', '/forum?view=active', '/forum?q=sharing']
const lists = ['/forum', '/forum/category/python', '/forum/tag/sharing', ...views]
const calls = lists.map((list) =>
	list
		.replace(/^\/forum\/(category|tag)\/(\w+)/, '/api/v1/queries?$1=$2')
		.replace(/^\/forum\??/, '/api/v1/queries?')
		.replace(/\?$/, ''),
)

async function read(path: string, who: string): Promise<string> {
	const answer = await site.ask(path, cookies[who] ?? '')
	expect([path, answer.status]).toEqual([path, 200])
	return answer.text()
}

/** Every list, as everybody sees it, read twice, so that the second one comes from the cache. One by one, as a busy machine refuses many. */
async function readAll(who: string): Promise<string[]> {
	const ways = [...lists, ...lists.map((list) => list.replace(/(\?|$)/, '.data$1')), ...calls]
	for (const path of ways) await read(path, who)
	const texts: string[] = []
	for (const path of ways) texts.push(await read(path, who))
	return texts
}

const idOf = (who: string) => questions[who]?.id ?? 0
const editPathOf = (who: string) => `/forum/edit/${who}/${idOf(who)}`

const isOfMira = (html: string) => html.includes(`/mira/${idOf('mira')}/`)

describe('members side by side', () => {
	test('can each change their own questions, and moderators all, in every list', async () => {
		// Concurrently, so that each uses rows that another one loaded.
		const shown = await Promise.all(people.map(readAll))
		for (const [index, who] of people.entries()) {
			const texts = shown[index] ?? []
			for (const owner of ['mira', 'ravi']) {
				const may = who === owner || who === 'mod'
				for (const page of texts.slice(0, lists.length)) {
					expect(page).toContain(`A question of ${owner}`)
					expect(page.includes(editPathOf(owner)), `${who} edits what ${owner} wrote`).toBe(may)
				}
				for (const text of texts.slice(2 * lists.length)) {
					const { rows } = JSON.parse(text) as { rows: QuestionCardView[] }
					const rights = rows.filter(({ id }) => id === idOf(owner)).map((row) => [row.mayEdit, row.mayDelete])
					expect([who, owner, rights]).toEqual([who, owner, [[may, may]]])
				}
			}
		}
	})

	test('see on a profile the questions of its member, whoever read another one before', async () => {
		const profiles = ['mira', 'ravi'].flatMap((owner) => people.slice(1).map((who) => [owner, who] as const))
		for (const [owner, who] of [...profiles, ...profiles]) {
			const page = await read(`/find-dev/${owner}`, who)
			const other = owner === 'mira' ? 'ravi' : 'mira'
			const seen = [`A question of ${owner}`, `A question of ${other}`].map((text) => page.includes(text))
			expect([owner, who, seen]).toEqual([owner, who, [true, false]])
		}
	})

	test('do not see what others follow', async () => {
		const follow = { Cookie: cookies.mira ?? '', Origin: site.url }
		for (const path of ['/tags/sharing', '/categories/python'])
			expect((await fetch(`${site.url}/api/v1${path}/following`, { method: 'PUT', headers: follow })).ok).toBe(true)
		const pressed = async (path: string, who: string) => (await read(path, who)).split('aria-pressed="true"').length
		for (const path of ['/forum/tag/sharing', '/forum/category/python']) {
			const [mine, other, again] = [
				await pressed(path, 'mira'),
				await pressed(path, 'ravi'),
				await pressed(path, 'mira'),
			]
			expect([path, mine - other, again - mine]).toEqual([path, 1, 0])
		}
	})
})

test('bookmarks are visible to their member only, in the API and on the page', async () => {
	const { id, url } = questions.mira as { id: number; url: string }
	expect((await call('PUT', `/me/bookmarks/query/${id}`, 'ravi', { note: 'For ravi alone.' })).status).toBe(204)
	const paths = [`/api/v1/queries/${id}`, url]
	for (const who of [...people, ...people])
		for (const path of paths) {
			const text = await read(path, who)
			const isMarked = /"bookmarked":true|aria-pressed="true" aria-label="Bookmark this query"/.test(text)
			expect([who, path, isMarked]).toEqual([who, path, who === 'ravi'])
			expect(text).not.toContain('For ravi alone.')
		}
	for (const who of people.slice(1)) {
		const list = [await read('/api/v1/me/bookmarks', who), await read('/bookmarks', who)]
		expect([who, list.map((text) => text.includes('For ravi alone.'))]).toEqual([who, [who === 'ravi', who === 'ravi']])
	}
})

test('only the asked member and the asker see that somebody was asked', async () => {
	const { id, url } = questions.mira as { id: number; url: string }
	await sql`insert into question_asks (question_id, user_id, round, tag_ids, names)
		select ${id}, id, 1, '{}', '{Kites}' from users where username = 'ravi'`.execute(db())
	for (const who of [...people, ...people]) {
		const text = await read(url, who)
		const seen = [text.includes('You were asked because you know Kites.'), text.includes('1 person was asked')]
		expect([who, seen]).toEqual([who, [who === 'ravi', who === 'mira']])
	}
})

describe('after a write', () => {
	const writes: [string, () => Promise<Response>, (row: QuestionCardView) => boolean, html: string][] = [
		[
			'an edit',
			() => post(editPathOf('mira'), 'mira', { ...texts, title: 'A better title of mira', version: '1' }),
			({ title }) => title === 'A better title of mira',
			'>A better title of mira<',
		],
		[
			'a vote',
			() => call('PUT', `/queries/${idOf('mira')}/vote`, 'ravi', { vote: 1 }),
			({ score }) => score === 1,
			'query-votes">1<',
		],
		[
			'a comment',
			() => call('POST', `/queries/${idOf('mira')}/comments`, 'ravi', { body: 'Like this.' }),
			({ commentCount }) => commentCount === 1,
			'query-comments">1<',
		],
		[
			'a new name of the author',
			() => post('/edit-profile/mira?index', 'mira', { ...filled.personal, fullName: 'Mira Vale', version: '1' }),
			({ author }) => author.name === 'Mira Vale',
			'>Mira Vale</a>',
		],
	]

	test.each(writes)('%s is in every list at once, for every reader', async (_what, write, isSeen, html) => {
		const lists = calls.filter((path) => !path.includes('unanswered'))
		const row = async (who: string) => (await read('/forum', who)).split('<article class="query">').find(isOfMira)
		await Promise.all(people.flatMap((who) => [row(who), ...lists.map((path) => read(path, who))]))
		const answer = await write()
		expect(answer.status, await answer.text()).toBeLessThan(400)
		for (const who of people) {
			expect([who, await row(who)]).toEqual([who, expect.stringContaining(html)])
			for (const path of lists) {
				const { rows } = JSON.parse(await read(path, who)) as { rows: QuestionCardView[] }
				expect([path, who, rows.filter(({ id }) => id === idOf('mira')).map(isSeen)]).toEqual([path, who, [true]])
			}
		}
	})

	test('a search finds it by a new word, and no longer by one that is gone, for every reader', async () => {
		const finding = async (word: string) => {
			const pages = people.flatMap((who) => [`/forum?q=${word}`, `/search?q=${word}`].map((path) => read(path, who)))
			return (await Promise.all(pages)).map((page) => page.includes(`<mark>${word}</mark>`))
		}
		const [all, none] = [Array(8).fill(true), Array(8).fill(false)]
		expect(await finding('quokka')).toEqual(none)
		const answer = await call('POST', `/queries/${idOf('mira')}/comments`, 'ravi', { body: 'Ask a quokka.' })
		expect(await finding('quokka')).toEqual(all)
		const { id } = (await answer.json()) as { id: number }
		expect((await call('DELETE', `/comments/${id}`, 'ravi')).status).toBeLessThan(400)
		expect(await finding('quokka')).toEqual(none)
	})

	test('a comment and its deletion change the profile’s numbers at once, for every reader', async () => {
		// React separates adjacent texts with comments.
		const numberOf = (label: string) => new RegExp(`${label}\\D*<span class="font-normal text-ink-3">(\\d+)`)
		const countsFor = async (who: string) => {
			const page = await read('/find-dev/ravi', who)
			return ['Queries', 'Answers', 'Comments'].map((label) => Number(numberOf(label).exec(page)?.[1]))
		}
		const all = () => Promise.all(people.slice(1).map(countsFor))
		const before = await all()
		const answer = await call('POST', `/queries/${idOf('mira')}/comments`, 'ravi', { body: 'And like that.' })
		const { id } = (await answer.json()) as { id: number }
		expect(await all()).toEqual(before.map(([queries, answers, comments]) => [queries, (answers ?? 0) + 1, comments]))
		expect((await call('DELETE', `/comments/${id}`, 'ravi')).status).toBeLessThan(400)
		expect(await all()).toEqual(before)
	})

	test('a profile changes with its member at once, for every reader', async () => {
		const shown = (who: string) => read('/find-dev/ravi', who)
		for (const who of people.slice(1)) expect(await shown(who)).not.toContain('Kilns and glazes')
		const form = { ...filled.personal, fullName: 'Ravi', expertise_in: 'Kilns and glazes', version: '1' }
		expect((await post('/edit-profile/ravi?index', 'ravi', form)).status).toBeLessThan(400)
		for (const who of people.slice(1)) expect(await shown(who)).toContain('Kilns and glazes')
	})

	test('a deleted question is in no list and no count', async () => {
		const count = async () => {
			const { rows } = JSON.parse(await read('/api/v1/categories', 'ravi')) as {
				rows: { slug: string; count: number }[]
			}
			return rows.find(({ slug }) => slug === 'python')?.count
		}
		const tagged = (count: number) => people.map((who) => [who, count])
		const readTagged = () =>
			Promise.all(
				people.map(async (who) => {
					const page = await read('/search?q=sharing&in=tags', who)
					return [who, Number(/data-count="(\d+)"/.exec(page)?.[1])]
				}),
			)
		const before = await count()
		expect(await count()).toBe(before)
		expect(await readTagged()).toEqual(tagged(2))
		expect((await call('DELETE', `/queries/${idOf('ravi')}`, 'ravi')).status).toBeLessThan(400)
		expect(await count()).toBe((before ?? 0) - 1)
		expect(await readTagged()).toEqual(tagged(1))
		for (const who of people)
			for (const text of await readAll(who)) expect(text.includes(`A question of ravi`), who).toBe(false)
	})
})

test('rows stay cached until a change is announced, even by another process', async () => {
	const paths = ['/api/v1/queries', '/api/v1/queries?q=sharing']
	const titled = async (title: string) =>
		(await Promise.all(paths.map((path) => read(path, 'ravi')))).map((text) => text.includes(title))
	for (const time of ['first', 'second']) await titled(time)
	await sql`update questions set excerpt = 'Told to nobody.' where id = ${idOf('mira')}`.execute(db())
	expect(await titled('Told to nobody.')).toEqual([false, false])
	const version = await db().selectFrom('questions').select('version').where('id', '=', idOf('mira')).executeTakeFirst()
	await editQuestion(members.mira as SignedIn, idOf('mira'), {
		...texts,
		title: 'Written elsewhere',
		version: String(version?.version),
	})
	await eventually(async () => expect(await titled('Written elsewhere')).toEqual([true, true]))
})

function post(path: string, who: string, form: Record<string, string>): Promise<Response> {
	return site.ask(path, cookies[who] ?? '', form)
}

function call(method: string, path: string, who: string, body?: object): Promise<Response> {
	const headers = { Cookie: cookies[who] ?? '', Origin: site.url, 'Content-Type': 'application/json' }
	return fetch(`${site.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}
