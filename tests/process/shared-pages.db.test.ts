import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { findRelated } from '~/features/related/related.server.ts'
import { refreshWordCounts } from '~/features/search/similar/similar.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { filled } from '../factories/profiles.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

useDatabase()

/*
 * Pages of questions, profiles, the community and the home page share cached rows and HTML among members. These must contain no data of a
 * single member, and never be older than a write.
 */

let site: MembersSite
let question: { id: number; url: string }
const cookies: Record<string, string> = { visitor: '' }
const signedIn: Record<string, SignedIn> = {}
/** By author. */
const comments: Record<string, number> = {}
const people = ['visitor', 'mira', 'ravi', 'lena', 'mod']

beforeAll(async () => {
	site = await startOnTestDatabase()
	for (const who of people.slice(1)) {
		const { member, cookie } = await logInMember(site, who, who === 'mod' ? 'moderator' : 'member')
		signedIn[who] = member
		cookies[who] = cookie
	}
	const { mira, ravi } = signedIn as { mira: SignedIn; ravi: SignedIn }
	question = await makeQuestion(mira, { title: 'What is shared here?', category: 'python' })
	comments.ravi = await makeComment(ravi, question.id, 'A comment of ravi.')
	comments.mira = await makeComment(mira, question.id, 'A reply of mira.', comments.ravi)
	const saved = await post('/edit-profile/mira?index', 'mira', { ...filled.personal, fullName: 'Mira', version: '1' })
	expect(saved.status).toBe(303)
})

afterAll(() => site?.stop())

/** The page as everybody sees it, read concurrently and twice, so that each uses what another one rendered. */
async function readByAll(path: string, who = people): Promise<Record<string, string>> {
	await Promise.all(who.map((one) => read(path, one)))
	return Object.fromEntries(await Promise.all(who.map(async (one) => [one, await read(path, one)])))
}

async function read(path: string, who: string): Promise<string> {
	const answer = await site.ask(path, cookies[who] ?? '')
	expect([path, who, answer.status]).toEqual([path, who, 200])
	return answer.text()
}

/** The visible part, without the scripts' data. */
const shownIn = (html: string) => html.replace(/<script[\s\S]*?<\/script>/g, '')

type Sees = [what: string, path: () => string, text: () => string, who: string[]]

const [visitor, mira, ravi, lena, mod] = people as [string, string, string, string, string]
const members = [mira, ravi, lena, mod]
const page = () => question.url
const votesOn = (comment = 0) =>
	`name="query" value="${question.id}"/><input type="hidden" name="comment" value="${comment}"`

const bits: Sees[] = [
	['the way to edit the question', page, () => `/forum/edit/mira/${question.id}`, [mira, mod]],
	['a link to edit a comment', page, () => `edit=${comments.ravi}#comment-${comments.ravi}`, [ravi, mod]],
	['a link to edit a reply', page, () => `edit=${comments.mira}#comment-${comments.mira}`, [mira, mod]],
	['a way to report a comment', page, () => `/report/comment/${comments.ravi}"`, [visitor, mira, lena, mod]],
	['a way to report the question', page, () => `/report/query/${question.id}"`, [visitor, ravi, lena, mod]],
	['buttons to vote on a comment', page, () => votesOn(comments.ravi), [mira, lena, mod]],
	['buttons to vote on a reply', page, () => votesOn(comments.mira), [ravi, lena, mod]],
	['the choice of what solved it', page, () => 'value="choose-solution"', [mira, mod]],
	['the way to moderate', page, () => `/moderation/comment/${comments.ravi}`, [mod]],
	['a chat with who asked', page, () => 'href="/messages/mira"', [visitor, ravi, lena, mod]],
	['the form for a comment', page, () => 'id="comment"', members],
	['no form of somebody else', page, () => `id="reply-${comments.ravi}"`, []],
	['data for search engines', page, () => 'QAPage', [visitor]],
	['a chat with a member', () => '/find-dev/mira', () => 'aria-label="Chat with Mira"', [ravi, lena, mod]],
	['a way to report a member', () => '/find-dev/mira', () => '/report/profile/mira', [ravi, lena, mod]],
	['the way to moderate a member', () => '/find-dev/mira', () => '/moderation/profile/mira', [mod]],
	['a phone number that is not shown', () => '/find-dev/mira', () => filled.personal.phone, [mira, mod]],
	['an address that is shown', () => '/find-dev/mira', () => 'mira@campus.example', members],
	['a chat on a card', () => '/find-dev', () => 'aria-label="Chat with Mira"', [visitor, ravi, lena, mod]],
	['a card of its own', () => '/find-dev', () => 'aria-label="View Details of Mira"', people],
	['the question', () => '/', () => 'What is shared here?', people],
]

describe('members side by side', () => {
	test.each(bits)('%s is shown only to the right readers', async (_what, path, text, who) => {
		const readers = path() === '/find-dev/mira' ? members : people
		const pages = await readByAll(path(), readers)
		const seeing = readers.filter((one) =>
			(text() === 'QAPage' ? pages[one] : shownIn(pages[one] ?? ''))?.includes(text()),
		)
		expect(seeing).toEqual(who)
	})

	test('votes, bookmarks, mutes and open forms are private', async () => {
		const acts = [
			() => call('PUT', `/comments/${comments.mira}/vote`, 'ravi', { vote: 1 }),
			() => call('PUT', `/queries/${question.id}/vote`, 'ravi', { vote: 1 }),
			() => call('PUT', `/queries/${question.id}/muting`, 'ravi'),
			() => call('PUT', `/me/bookmarks/query/${question.id}`, 'ravi', {}),
			() => call('PUT', `/me/bookmarks/comment/${comments.mira}`, 'ravi', {}),
		]
		for (const act of acts) expect((await act()).ok).toBe(true)
		const opened = await read(`${page()}?reply=${comments.ravi}`, 'ravi')
		expect(opened).toContain(`id="reply-${comments.ravi}"`)
		const pages = await readByAll(page())
		const pressed = people.map(
			(one) =>
				(shownIn(pages[one] ?? '').match(/aria-pressed="true" aria-label="(Vote up|Mute|Bookmark)/g) ?? []).length,
		)
		// The votes are in the page twice, for two widths.
		expect(Object.fromEntries(people.map((one, index) => [one, pressed[index]]))).toEqual({
			visitor: 0,
			mira: 0,
			ravi: 6,
			lena: 0,
			mod: 0,
		})
		for (const one of people) expect(pages[one]).not.toContain(`id="reply-${comments.ravi}"`)
	})
})

describe('after a write everybody sees the change', () => {
	const writes: [what: string, write: () => Promise<Response>, path: () => string, text: string, isGone?: boolean][] = [
		[
			'a comment',
			() => call('POST', `/queries/${question.id}/comments`, 'lena', { body: 'One more.' }),
			page,
			'One more.',
		],
		[
			'an edit of a comment',
			() => call('PATCH', `/comments/${comments.ravi}`, 'ravi', { body: 'Changed by ravi.', version: 1 }),
			page,
			'Changed by ravi.',
		],
		['a vote', () => call('PUT', `/comments/${comments.ravi}/vote`, 'lena', { vote: -1 }), page, '-1</span>'],
		['a solution', () => call('PUT', `/comments/${comments.ravi}/solution`, 'mira'), page, 'Accepted answer'],
		[
			'no solution any more',
			() => call('DELETE', `/comments/${comments.ravi}/solution`, 'mira'),
			page,
			'Accepted answer',
			true,
		],
		['an edit of the question', retitle, page, 'Who shares this?'],
		['the same on the home page', async () => new Response(), () => '/', 'Who shares this?'],
		['a deleted comment', () => call('DELETE', `/comments/${comments.mira}`, 'mira'), page, 'A reply of mira.', true],
		['a restored comment', () => call('POST', `/comments/${comments.mira}/restore`, 'mira'), page, 'A reply of mira.'],
		[
			'a hidden comment',
			() => call('POST', `/moderation/comment/${comments.mira}/acts`, 'mod', { act: 'hide', why: 'Off-topic.' }),
			page,
			'A reply of mira.',
			true,
		],
		['a new name', () => rename('Mira Vale', '2'), page, '>Mira Vale</a>'],
		['a new name in the community', async () => new Response(), () => '/find-dev', 'View Details of Mira Vale'],
		[
			'a name that was given up, in the search',
			() => rename('Mira Dale', '3'),
			() => '/search?q=vale',
			'View Details of Mira Vale',
			true,
		],
		[
			'a link to another site, on a card',
			() => post('/edit-profile/mira/social-links', 'mira', { ...filled.social, github: 'dale', version: '1' }),
			() => '/search?q=dale&in=people',
			'https://github.com/dale',
		],
	]

	test.each(writes)('%s', async (_what, write, path, text, isGone = false) => {
		await readByAll(path())
		const answer = await write()
		expect(answer.status, await answer.text()).toBeLessThan(400)
		const pages = await readByAll(path())
		// Author and moderators can still read hidden texts.
		const readers = text === 'A reply of mira.' && isGone ? [visitor, ravi, lena] : people
		for (const one of readers) expect([one, shownIn(pages[one] ?? '').includes(text)]).toEqual([one, !isGone])
	})
})

describe('related questions are shown in their present state', () => {
	let related: { id: number; url: string }

	beforeAll(async () => {
		const { ravi } = signedIn as { ravi: SignedIn }
		related = await makeQuestion(ravi, { title: 'Where is marmalade sold?' })
		question = await makeQuestion(ravi, { title: 'Which marmalade is sold?' })
		await refreshWordCounts()
	})

	/** What everybody sees of the related question on the other one's page; null for nothing. */
	async function shownToAll(): Promise<(string | null)[]> {
		const pages = await readByAll(question.url)
		const shown = people.map((one) => {
			const list = /<section[^>]*aria-labelledby="related">(.*?)<\/section>/.exec(shownIn(pages[one] ?? ''))
			return list?.[1]?.replace(/<a[^>]*href="([^"]*)"/, '$1 <a').replace(/<[^>]*>/g, '') ?? null
		})
		return [...new Set(shown)]
	}

	test('once the job has found them, which invalidates the page', async () => {
		expect(await shownToAll()).toEqual([null])
		await findRelated(false)
		await eventually(async () =>
			expect(await shownToAll()).toEqual([`Related${related.url} Where is marmalade sold?0 comments`]),
		)
	})

	const changes: [what: string, make: () => Promise<Response>, shown: () => string | null][] = [
		[
			'a comment',
			() => call('POST', `/queries/${related.id}/comments`, 'lena', { body: 'All of us.' }),
			() => `Related${related.url} Where is marmalade sold?1 comment`,
		],
		[
			'a solution',
			async () => call('PUT', `/comments/${await newestComment()}/solution`, 'ravi'),
			() => `Related${related.url} Where is marmalade sold?Answered1 comment`,
		],
		[
			'another title',
			async () => {
				const answer = await call('PATCH', `/queries/${related.id}`, 'ravi', {
					title: 'Is marmalade sold?',
					version: 1,
				})
				related.url = related.url.replace(/[\w-]+$/, 'is-marmalade-sold')
				return answer
			},
			() => `Related${related.url} Is marmalade sold?Answered1 comment`,
		],
		[
			'that a moderator hid it',
			() => call('POST', `/moderation/query/${related.id}/acts`, 'mod', { act: 'hide', why: 'Off-topic.' }),
			() => null,
		],
		[
			'that it is back',
			() => call('POST', `/moderation/query/${related.id}/acts`, 'mod', { act: 'restore' }),
			() => `Related${related.url} Is marmalade sold?Answered1 comment`,
		],
		['that it was deleted', () => call('DELETE', `/queries/${related.id}`, 'ravi'), () => null],
	]

	test.each(changes)('everybody sees at once: %s', async (_what, make, shown) => {
		await readByAll(question.url)
		const answer = await make()
		expect(answer.status, await answer.text()).toBeLessThan(400)
		expect(await shownToAll()).toEqual([shown()])
	})

	async function newestComment(): Promise<number> {
		const answer = await call('GET', `/queries/${related.id}/comments`, 'ravi')
		const { rows } = (await answer.json()) as { rows: { id: number }[] }
		return rows.at(-1)?.id ?? 0
	}
})

/** The title is part of the address, and the old one redirects, even if it was cached. */
async function retitle(): Promise<Response> {
	const before = question.url
	const answer = await call('PATCH', `/queries/${question.id}`, 'mira', { title: 'Who shares this?', version: 1 })
	question.url = before.replace(/[\w-]+$/, 'who-shares-this')
	for (const one of people) {
		const moved = await site.ask(before, cookies[one] ?? '')
		expect([one, moved.status, moved.headers.get('location')]).toEqual([one, 301, question.url])
	}
	return answer
}

function rename(fullName: string, version: string): Promise<Response> {
	return post('/edit-profile/mira?index', 'mira', { ...filled.personal, fullName, version })
}

function post(path: string, who: string, form: Record<string, string>): Promise<Response> {
	return site.ask(path, cookies[who] ?? '', form)
}

function call(method: string, path: string, who: string, body?: object): Promise<Response> {
	const headers = { Cookie: cookies[who] ?? '', Origin: site.url, 'Content-Type': 'application/json' }
	return fetch(`${site.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}
