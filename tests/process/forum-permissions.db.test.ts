import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '~/features/api/openapi.server.ts'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { saveDraft } from '~/features/asking/drafts.server.ts'
import { deleteComment, editComment } from '~/features/discussion/commenting.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMessage } from '../factories/chat.ts'
import { makeComment, makeMember } from '../factories/forum.ts'
import { readings, withoutPage } from '../support/api-readings.ts'
import { useDatabase } from '../support/database.ts'
import { makeTarget, mayDo, writes } from '../support/forum-writes.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { muteQueue } from '../support/moderation-writes.ts'
import { forgetNotedWrites, noteWrites, takeNotedWrites } from '../support/noted-writes.ts'
import { type Cast, people, type Target, type Who, type Write } from '../support/writes.ts'

/* Permissions of the forum, by every interface: pages, their `.data`, forms, the API with cookie and with token. */

useDatabase()

let site: MembersSite
const cookies = { anonymous: '' } as Record<Who, string>
const members = {} as Cast
/** By owner and scope: `author:write`. */
const tokens: Record<string, string> = {}
let standing: Target

beforeAll(async () => {
	site = await startOnTestDatabase()
	for (const who of people.slice(1) as Exclude<Who, 'anonymous'>[]) {
		const role = who === 'moderator' || who === 'admin' ? who : 'member'
		const { member, cookie } = await logInMember(site, who, role)
		members[who] = member
		cookies[who] = cookie
		const sets = [['read'], ['write'], ...(role === 'member' ? [] : [['write', 'moderate']])]
		for (const scopes of sets)
			tokens[`${who}:${scopes.join('+')}`] = (await makeToken(member, { name: 'test', scopes, days: 7 })).token
	}
	members.victim = await makeMember('victim')
	await sql`update users set suspended_until = 'infinity' where username = 'suspended'`.execute(db())
	standing = await makeTarget(members)
	await muteQueue()
	await noteWrites()
})

afterAll(() => site?.stop())

function callApi(path: string, init: RequestInit, headers: Record<string, string>): Promise<Response> {
	const typed = { Origin: site.url, 'Content-Type': 'application/json', ...headers }
	return fetch(`${site.url}/api/v1${path}`, { ...init, headers: typed })
}

function callWrite(write: Write, target: Target, headers: Record<string, string>): Promise<Response> {
	const [method, path, body] = write.api(target)
	return callApi(path, { method, ...(body && { body: JSON.stringify(body) }) }, headers)
}

interface Attempt {
	who: Who
	write: Write
	allowed: boolean
	send: (target: Target) => Promise<Response>
	/** The post that is written to, if it was created already. */
	target?: Target
}

/** Posts prepared for refused writes: they do not change, so they are shared by all interfaces. */
const prepared = new Map<string, Target>()

/** A fresh post if the write is allowed, else a prepared one. */
async function targetFor({ who, write, allowed }: Attempt): Promise<Target> {
	const shared = `${write.name} by ${who}`
	const ready = allowed ? undefined : write.prepare ? prepared.get(shared) : standing
	if (ready) return ready
	const target = await makeTarget(members)
	await write.prepare?.(members, target, who === 'anonymous' ? undefined : members[who])
	if (!allowed) prepared.set(shared, target)
	return target
}

/** This many attempts stay within all limits, which other tests cover, and end before the confirmation of an identity expires. */
const MAX_CALLS = 40
let calls = 0

/** Makes an attempt, and determines which tables it wrote to. */
async function attempt(what: Attempt): Promise<string> {
	const target = what.target ?? (await targetFor(what))
	calls += 1
	if (calls % MAX_CALLS === 0)
		await sql`with reset as (delete from rate_limits) update sessions set confirmed_at = now()`.execute(db())
	await forgetNotedWrites()
	const response = await what.send(target)
	const written = await takeNotedWrites()
	if (what.allowed) expect(written, String(response.status)).not.toEqual([])
	else expect(written, String(response.status)).toEqual([])
	const to = response.headers.get('Location') ?? (response.status === 202 ? await response.text() : '')
	return to.includes('/login?redirectTo=') ? 'login' : response.status < 400 ? 'done' : String(response.status)
}

const cells = people.flatMap((who) => writes.map((write) => [write.name, who, write] as const))

describe('forms', () => {
	const ways = cells.flatMap(([name, who, write]) => ['', '.data'].map((way) => [name, who, way, write] as const))

	test.each(ways.filter(([, , , { form }]) => form))('%s by %s (%s)', async (_name, who, way, write) => {
		const allowed = mayDo(who, write)
		const send = (target: Target) => {
			const [path, fields] = write.form?.(target) ?? ['', {}]
			return site.ask(path + way, cookies[who], fields)
		}
		const outcome = await attempt({ who, write, allowed, send })
		expect(outcome).toBe(allowed ? 'done' : who === 'anonymous' ? (write.visitor ?? 'login') : (write.refusal ?? '403'))
	})
})

describe('the API', () => {
	test.each(cells)('%s by %s with cookies', async (_name, who, write) => {
		const allowed = mayDo(who, write)
		const send = (target: Target) => callWrite(write, target, { Cookie: cookies[who] })
		const outcome = await attempt({ who, write, allowed, send })
		expect(outcome).toBe(allowed ? 'done' : who === 'anonymous' ? '401' : (write.refusal ?? '403'))
	})

	const keys = people.slice(1).flatMap((who) => {
		const sets = who === 'moderator' || who === 'admin' ? ['read', 'write', 'write+moderate'] : ['read', 'write']
		return sets.flatMap((scopes) => writes.map((write) => [write.name, who, scopes, write] as const))
	})

	test.each(keys)('%s by %s with a token that may %s', async (_name, who, scopes, write) => {
		// Without the scope `moderate` a token has the permissions of a plain member.
		const as = who === 'author' || who === 'suspended' || scopes.includes('moderate') ? who : 'member'
		const allowed = scopes.includes('write') && mayDo(as, write)
		const headers = { Authorization: `Bearer ${tokens[`${who}:${scopes}`]}` }
		const outcome = await attempt({ who, write, allowed, send: (target) => callWrite(write, target, headers) })
		expect(outcome).toBe(allowed ? 'done' : scopes.includes('write') ? (write.refusal ?? '403') : '403')
	})
})

describe('a suspended member, who could otherwise write', () => {
	const owners = ['author', 'admin'] as const
	const table = owners.flatMap((who) =>
		writes.filter((write) => mayDo(who, write)).map((write) => [write.name, who, write] as const),
	)

	test.each(table)('%s by the suspended %s: by form, with cookies, with a token', async (_name, who, write) => {
		const allowed = write.quiet === true || (write.deletes === true && who === 'author')
		const scopes = who === 'author' ? 'write' : 'write+moderate'
		const key = { Authorization: `Bearer ${tokens[`${who}:${scopes}`]}` }
		const ways: ((target: Target) => Promise<Response>)[] = [
			(target) => callWrite(write, target, { Cookie: cookies[who] }),
			(target) => callWrite(write, target, key),
		]
		const { form } = write
		if (form) ways.push((target) => site.ask(form(target)[0], cookies[who], form(target)[1]))
		let target: Target | undefined
		for (const send of ways) {
			// What is refused changes nothing, so that the next way meets the same post.
			if (!target || allowed) {
				target = await makeTarget(members)
				await write.prepare?.(members, target, members[who])
			}
			const outcome = await whileSuspended(who, () => attempt({ who, write, allowed, target, send }))
			expect(outcome).toBe(allowed ? 'done' : '403')
		}
	})

	/** Suspends a member only during the attempt, so that everything can be prepared before. */
	async function whileSuspended<T>(who: Exclude<Who, 'anonymous'>, act: () => Promise<T>): Promise<T> {
		const { id } = members[who]
		await sql`update users set suspended_until = 'infinity' where id = ${id}`.execute(db())
		try {
			return await act()
		} finally {
			await sql`update users set suspended_until = null where id = ${id}`.execute(db())
		}
	}
})

describe('forbidden to everybody', () => {
	const foreign = { Origin: 'https://elsewhere.example' }

	const who = 'author'
	const allowed = false
	const named = writes.map((write) => [write.name, write] as const)
	const withForms = named.filter(([, { form }]) => form)

	function sendForm({ form }: Write, target: Target, headers: Record<string, string>): Promise<Response> {
		const [page, fields] = form?.(target) ?? ['', {}]
		return fetch(site.url + page, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers })
	}

	test.each(named)('%s by the API from a page of another site', async (_name, write) => {
		const keys: Record<string, string>[] = [
			{ Cookie: cookies.author },
			{ Authorization: `Bearer ${tokens['author:write']}` },
		]
		for (const key of keys) {
			const send = (target: Target) => callWrite(write, target, { ...foreign, ...key })
			expect(await attempt({ who, write, allowed, send })).toBe('403')
		}
	})

	test.each(withForms)('%s by a form of another site', async (_name, write) => {
		const send = (target: Target) => sendForm(write, target, { ...foreign, Cookie: cookies.author })
		expect(await attempt({ who, write, allowed, send })).toBe('403')
	})

	test.each(withForms)('%s by a page with a token', async (_name, write) => {
		const send = (target: Target) => sendForm(write, target, { Authorization: `Bearer ${tokens['author:write']}` })
		expect(await attempt({ who, write, allowed, send })).toBe(write.visitor ?? 'login')
	})

	test.each([
		'/settings',
		'/settings/tokens',
		'/settings/email',
		'/settings/username',
		'/my-profile/author',
		'/api/auth/get-session',
	])('a token opens no %s', async (path) => {
		const headers = { Authorization: `Bearer ${tokens['author:read']}` }
		const answer = await fetch(site.url + path, { headers, redirect: 'manual' })
		expect([302, 200]).toContain(answer.status)
		if (answer.status === 302) expect(answer.headers.get('Location')).toContain('/login')
		else expect(await answer.text()).toBe('null')
	})
})

describe('reading', () => {
	const pages = [
		...['/forum', '/forum/category/others', '/forum/tag/testing', '/forum/tags', '/forum?q=question', 'query'],
		...['/search', '/search?q=question', '/search?q=question&in=questions', '/suggest/everything?q=question'],
	]
	const ways = pages.flatMap((page) => people.map((who) => [page, who] as const))

	test.each(ways)('%s, and its data, is accessible to %s', async (page, who) => {
		const path = page === 'query' ? standing.url : page
		const ways = path.startsWith('/suggest/') ? [path] : [path, path.replace(/(\?|$)/, '.data$1')]
		for (const address of ways) expect((await site.ask(address, cookies[who])).status).toBe(200)
	})

	test.each(people)('a question that its author deleted after an answer is gone for %s, with a notice', async (who) => {
		const target = await makeTarget(members)
		await makeComment(members.member, target.query)
		await deleteQuestion(members.author, target.query)
		for (const way of ['', '.data']) expect((await site.ask(target.url + way, cookies[who])).status).toBe(410)
		expect((await callApi(`/queries/${target.query}`, {}, { Cookie: cookies[who] })).status).toBe(404)
	})

	const staffOnly = [
		['/moderation/cases', ['moderator', 'admin']],
		['/moderation/query/QUERY', ['moderator', 'admin']],
		['/moderation/log', ['admin']],
		['/synonyms', ['moderator', 'admin']],
		['/me/drafts', people.slice(1)],
	] as const
	const staffReads = staffOnly.flatMap(([path, readers]) =>
		people.map((who) => [path, who, (readers as readonly Who[]).includes(who)] as const),
	)
	test.each(staffReads)('the API: %s for %s: %s', async (path, who, may) => {
		const answer = await callApi(path.replace('QUERY', String(standing.query)), {}, { Cookie: cookies[who] })
		expect(answer.status).toBe(may ? 200 : who === 'anonymous' ? 401 : 403)
	})

	test('every reading operation is compared with its page', () => {
		const compared = [...readings(standing, 'victim').map(({ operation }) => operation), ...Object.keys(withoutPage)]
		const reads = operations.filter(({ method }) => method === 'get').map(({ id }) => id)
		expect(compared.toSorted()).toEqual(reads.toSorted())
	})

	test.each(people)('the API shows %s what the pages show, and no more', async (who) => {
		if (who !== 'anonymous') {
			// The cases above have suspended them.
			await sql`update users set suspended_until = null where username = 'victim'`.execute(db())
			await saveDraft(members[who], { key: 'ask', title: 'How', description: '', tags: '', category: '' })
			await makeMessage(members.victim, members[who])
		}
		for (const { operation, api, page, marked } of readings(standing, 'victim')) {
			const shown = await site.ask(page, cookies[who])
			const isOpen = shown.status < 400 && !shown.headers.get('Location')?.startsWith('/login')
			const told = await callApi(api, {}, { Cookie: cookies[who] })
			expect(told.status === 200, `${operation}: ${told.status}, its page: ${shown.status}`).toBe(
				isOpen && (marked?.test(await shown.text()) ?? true),
			)
		}
	})

	test.each(people)('%s sees the history of a text only if logged in', async (who) => {
		const target = await makeTarget(members)
		await editComment(members.author, target.comment, { body: 'Another word.' })
		for (const path of [`/queries/${target.query}/edits`, `/comments/${target.comment}/edits`]) {
			const answer = await callApi(path, {}, { Cookie: cookies[who] })
			expect(answer.status).toBe(who === 'anonymous' ? 401 : 200)
		}
		await deleteComment(members.author, target.comment)
		await deleteQuestion(members.author, target.query)
		for (const path of [`/queries/${target.query}/edits`, `/comments/${target.comment}/edits`])
			expect((await callApi(path, {}, { Cookie: cookies[who] })).status).toBe(who === 'anonymous' ? 401 : 404)
	})

	const edits: [Who, string][] = [
		['anonymous', 'login'],
		['suspended', '403'],
		['member', '403'],
		['author', '200'],
		['moderator', '200'],
		['admin', '200'],
	]
	test.each(edits)('the edit page responds to %s with %s', async (who, expected) => {
		const answer = await site.ask(standing.url.replace(/^\/forum\/[^/]+(.*)\/[\w-]+$/, '/forum/edit$1'), cookies[who])
		const login = answer.headers.get('Location')?.startsWith('/login')
		expect(login ? 'login' : String(answer.status)).toBe(expected)
	})

	test.each(people)('the API shows %s the Markdown of a comment only if they may edit it', async (who) => {
		const answer = await callApi(`/comments/${standing.comment}`, {}, { Cookie: cookies[who] })
		const { body, mayEdit } = (await answer.json()) as { body: string | null; mayEdit: boolean }
		const may = ['author', 'moderator', 'admin'].includes(who)
		expect([body !== null, mayEdit]).toEqual([may, may])
	})
})

describe('mass assignment', () => {
	/** Columns that a write may change, by table; all others must be unchanged or have their default. */
	const owned = new Set(
		'title description description_html excerpt tags category_id body body_html edited_at active_at search comment_count version'.split(
			' ',
		),
	)

	async function harmful(): Promise<Record<string, string>> {
		const { rows } = await sql<{ column: string; type: string }>`
			select column_name as "column", data_type as type from information_schema.columns
			where table_schema = 'public' and table_name in ('questions', 'comments', 'users', 'tags', 'categories')`.execute(
			db(),
		)
		// The version is a field of the edit form, with tests of its own.
		const columns = rows.filter(({ column }) => column !== 'version')
		return Object.fromEntries(
			columns.map(({ column, type }) => {
				if (column === 'author_id') return [column, String(members.member.id)]
				if (column === 'role') return [column, 'admin']
				return [column, type === 'boolean' ? 'true' : /int/.test(type) ? '7' : /time/.test(type) ? '2001-01-01' : 'x']
			}),
		)
	}

	async function rowOf(table: 'questions' | 'comments', id: number): Promise<Record<string, unknown>> {
		const { rows } = await sql<{ row: Record<string, unknown> }>`
			select to_jsonb(t) as row from ${sql.table(table)} t where id = ${id}`.execute(db())
		return Object.fromEntries(Object.entries(rows[0]?.row ?? {}).filter(([column]) => !owned.has(column)))
	}

	test('a form that edits a question or a comment changes no other column', async () => {
		const target = await makeTarget(members)
		const before = [await rowOf('questions', target.query), await rowOf('comments', target.comment)]
		for (const name of ['editing a query', 'editing a comment']) {
			const [path, fields] = writes.find((write) => write.name === name)?.form?.(target) ?? ['', {}]
			expect((await site.ask(path, cookies.author, { ...(await harmful()), ...fields })).status).toBe(303)
		}
		expect([await rowOf('questions', target.query), await rowOf('comments', target.comment)]).toEqual(before)
	})

	test('a form that creates a question or a comment sets neither author, nor time, nor score', async () => {
		for (const [table, name] of [
			['questions', 'asking'],
			['comments', 'commenting'],
		] as const) {
			const [path, fields] = writes.find((write) => write.name === name)?.form?.(await makeTarget(members)) ?? ['', {}]
			expect((await site.ask(path, cookies.author, { ...(await harmful()), ...fields })).status).toBe(303)
			const newest = await db()
				.selectFrom(table)
				.select(['author_id', 'score', 'created_at', 'status', 'status_by', 'source_id'])
				.orderBy('id', 'desc')
				.executeTakeFirstOrThrow()
			expect(newest).toMatchObject({
				author_id: members.author.id,
				score: 0,
				source_id: null,
				status: 'published',
				status_by: null,
			})
			expect(newest.created_at.getFullYear()).toBeGreaterThan(2001)
		}
	})

	test('the API rejects unknown fields, and changes nothing', async () => {
		for (const write of writes) {
			const [method, path, body] = write.api(standing)
			if (!body) continue
			const sent = JSON.stringify({ ...(await harmful()), ...body })
			const send = () => callApi(path, { method, body: sent }, { Cookie: cookies.admin })
			const outcome = await attempt({ who: 'admin', write, allowed: false, send })
			expect(outcome, write.name).toBe('422')
		}
	})
})
