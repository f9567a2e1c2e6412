import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judge } from '~/features/forum/moderation/acts.server.ts'
import { makeComment, makeQuery } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { hashForum } from '../support/forum-rows.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

/* Moderation over HTTP: its pages, their `.data`, and every form, for everybody who may ask. */

useDatabase()

const people = ['anonymous', 'member', 'author', 'moderator', 'admin'] as const
type Who = (typeof people)[number]

let site: MembersSite
const cookies = { anonymous: '' } as Record<Who, string>
const ids = { query: 0, comment: 0, hidden: 0 }
let hiddenUrl = ''

beforeAll(async () => {
	site = await startOnTestDatabase()
	const author = await logInMember(site, 'author')
	const moderator = await logInMember(site, 'moderator', 'moderator')
	cookies.author = author.cookie
	cookies.moderator = moderator.cookie
	cookies.member = (await logInMember(site, 'member')).cookie
	cookies.admin = (await logInMember(site, 'admin', 'admin')).cookie
	ids.query = (await makeQuery(author.member)).id
	ids.comment = await makeComment(author.member, ids.query)
	const hidden = await makeQuery(author.member, { title: 'A secret of a kind' })
	ids.hidden = hidden.id
	hiddenUrl = hidden.url
	await judge(moderator.member, { kind: 'query', name: String(hidden.id), act: 'hide' }, { why: 'It is secret.' })
})

afterAll(() => site?.stop())

const path = (template: string) =>
	template.replace('QUERY', String(ids.query)).replace('COMMENT', String(ids.comment)).replace('HIDDEN', hiddenUrl)

describe('reading', () => {
	const login = 'login'
	const pages: [string, Record<Who, number | string>][] = [
		['/moderation', { anonymous: login, member: 403, author: 403, moderator: 200, admin: 200 }],
		['/moderation/query/QUERY', { anonymous: login, member: 403, author: 403, moderator: 200, admin: 200 }],
		['/moderation/comment/COMMENT', { anonymous: login, member: 403, author: 403, moderator: 200, admin: 200 }],
		['/moderation/profile/author', { anonymous: login, member: 403, author: 403, moderator: 200, admin: 200 }],
		['/moderation/members', { anonymous: login, member: 403, author: 403, moderator: 200, admin: 200 }],
		['/moderation/log', { anonymous: login, member: 403, author: 403, moderator: 403, admin: 200 }],
		['/report/query/QUERY', { anonymous: login, member: 200, author: 403, moderator: 200, admin: 200 }],
		['/report/comment/COMMENT', { anonymous: login, member: 200, author: 403, moderator: 200, admin: 200 }],
		['/report/profile/author', { anonymous: login, member: 200, author: 403, moderator: 200, admin: 200 }],
		['HIDDEN', { anonymous: 404, member: 404, author: 200, moderator: 200, admin: 200 }],
	]
	const table = pages.flatMap(([page, answers]) =>
		people.flatMap((who) => ['', '.data'].map((way) => [`${page}${way}`, who, answers[who]] as const)),
	)

	test.each(table)('%s as %s: %s', async (page, who, answer) => {
		const response = await site.ask(path(page), cookies[who])
		const text = await response.text()
		if (answer === 'login') expect(`${response.headers.get('location')} ${text}`).toContain('/login?redirectTo=')
		else expect(response.status).toBe(answer)
		if (answer !== 200) expect(text).not.toContain('A secret of a kind')
	})
})

describe('writing', () => {
	const acts: [string, Record<string, string>, Who[]][] = [
		['/moderation/query/QUERY', { act: 'hide', why: 'x' }, ['moderator', 'admin']],
		['/moderation/query/QUERY', { act: 'lock', why: 'x' }, ['moderator', 'admin']],
		['/moderation/query/QUERY', { act: 'merge', why: 'x', into: '1' }, ['moderator', 'admin']],
		['/moderation/comment/COMMENT', { act: 'hide', why: 'x' }, ['moderator', 'admin']],
		['/moderation/profile/author', { act: 'suspend', why: 'x', time: 'for ever' }, ['moderator', 'admin']],
		['/moderation/members', { intent: 'appoint', username: 'member' }, ['admin']],
		['/moderation/members', { intent: 'dismiss', username: 'moderator' }, ['admin']],
		['/report/query/QUERY', { reason: 'spam', details: '' }, ['member', 'moderator', 'admin']],
	]
	const refusals = acts.flatMap(([page, form, allowed]) =>
		people
			.filter((who) => !allowed.includes(who))
			.flatMap((who) => ['', '.data'].map((way) => [JSON.stringify(form), `${page}${way}`, who, form] as const)),
	)

	test.each(refusals)('%s to %s by %s is refused and changes nothing', async (_what, page, who, form) => {
		const before = await hashForum()
		const response = await site.ask(path(page), cookies[who], form)
		const text = await response.text()
		if (who === 'anonymous') expect(`${response.headers.get('location')} ${text}`).toContain('/login?redirectTo=')
		else expect(response.status).toBe(403)
		expect(await hashForum()).toEqual(before)
	})
})
