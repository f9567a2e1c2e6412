import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { listProjects } from '~/features/profile-editor/items.server.ts'
import { findTerm, loadTerms } from '~/features/terms/terms.server.ts'
import { actOnTerm } from '~/features/vocabulary/acts.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { saveSettings } from '../../../tests/support/login-visits.ts'
import { addRepositories, getRepositories } from './repositories.server.ts'

/* A stub of GitHub's API that follows its documentation. */

useDatabase()

interface Answer {
	status?: number
	body: unknown
}

let github: Answer
/** Requests with their credentials. */
const asked: string[] = []
const server = createServer((request, response) => {
	asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
	response.statusCode = github.status ?? 200
	response.setHeader('Content-Type', 'application/json; charset=utf-8')
	response.end(JSON.stringify(github.body))
})
let ada: SignedIn

beforeAll(async () => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const admin = await makeMember('admin', 'admin')
	ada = await makeMember('ada')
	expect(await listed(ada)).toEqual({ isLinked: null, repositories: [], problem: '' })
	const githubAddress = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	await saveSettings(admin, 'other-logins', { githubId: 'an id', 'password-githubSecret': 'a secret', githubAddress })
	await sql`
		insert into identities (user_id, provider, issuer, subject, name) values (${ada.id}, 'github', ${githubAddress}, '7', 'ada-l')`.execute(
		db(),
	)
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

const repository = (id: number, changes: object = {}) => ({
	...{ id, name: `repo-${id}`, description: `What ${id} does`, language: 'js', homepage: '', fork: false },
	...{ html_url: `https://github.example/ada-l/repo-${id}`, created_at: '2025-03-01T10:00:00Z', private: false },
	...{ owner: { id: 7 }, ...changes },
})
const pick = (viewer: SignedIn, ...ids: number[]) =>
	addRepositories(viewer, viewer.username, { repository: ids.join(', ') })
const listed = (viewer: SignedIn) => getRepositories(viewer, viewer.username)
const projectsOf = (viewer: SignedIn) => listProjects(viewer, viewer.username)

beforeEach(async () => {
	asked.length = 0
	// As if the cache had expired.
	remember('repositories', () => new Map()).clear()
	await sql`delete from projects`.execute(db())
})

test('public repositories of the linked account are listed from a cache, and added once', async () => {
	github = {
		body: [
			repository(1, { homepage: 'https://one.example', created_at: '2024-02-29T23:00:00Z' }),
			repository(2, { description: null, language: null, homepage: 'javascript:alert(1)' }),
			repository(3, { fork: true }),
			repository(4, { private: true }),
			// The account's name belongs to somebody else by now.
			repository(5, { owner: { id: 8 } }),
			repository(6),
		],
	}
	const { isLinked, repositories, problem } = await listed(ada)
	expect([isLinked, problem, repositories.map(({ id, isAdded }) => [id, isAdded])]).toEqual([
		...[true, '', [1, 2, 6].map((id) => [id, false])],
	])
	expect(await pick(ada, 1, 2, 3, 5)).toBe('2 projects added.')
	expect(
		(await projectsOf(ada)).map(({ title, description, stack, date, links }) => ({
			title,
			description,
			stack,
			date,
			links,
		})),
	).toEqual([
		{
			...{ title: 'repo-1', description: 'What 1 does', stack: ['JavaScript'], date: '2024-02-29' },
			links: [
				{ label: 'Live', url: 'https://one.example/' },
				{ label: 'Source', url: 'https://github.example/ada-l/repo-1' },
			],
		},
		{
			...{ title: 'repo-2', description: '', stack: [], date: '2025-03-01' },
			links: [{ label: 'Source', url: 'https://github.example/ada-l/repo-2' }],
		},
	])
	expect((await listed(ada)).repositories.map(({ isAdded }) => isAdded)).toEqual([true, true, false])
	await expect(pick(ada, 1)).rejects.toThrow('These are among your projects already.')
	expect(await pick(ada, 1, 6)).toBe('Project added successfully!')
	for (const ids of [[], [3], [99]]) await expect(pick(ada, ...ids)).rejects.toThrow('Choose at least one repository.')
	const app = Buffer.from('an id:a secret').toString('base64')
	expect(asked).toEqual([`GET /api/v3/users/ada-l/repos?type=owner&sort=pushed&per_page=50 Basic ${app}`])
})

test('concurrent additions make one project, and none beyond the limit', async () => {
	github = { body: [repository(1), repository(2)] }
	await listed(ada)
	const both = await Promise.allSettled([pick(ada, 1), pick(ada, 1)])
	expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
	expect(await projectsOf(ada)).toHaveLength(1)
	await sql`
		insert into projects (user_id, project_title, position) select ${ada.id}, 'x', n from generate_series(1, 98) n`.execute(
		db(),
	)
	github = { body: [] }
	await sql`delete from projects where project_source_code_link <> ''`.execute(db())
	await expect(pick(ada, 1, 2)).resolves.toBe('2 projects added.')
	await sql`update projects set project_source_code_link = ''`.execute(db())
	await expect(pick(ada, 1)).rejects.toThrow('A profile has at most 100 projects.')
})

test.each([
	'https://github.example/Ada-L/repo-1/',
	'https://github.example/ada-l/repo-1.git',
	'http://www.github.example/ada-l/repo-1',
])('a project with the link %s is the repository', async (link) => {
	github = { body: [repository(1)] }
	await sql`
		insert into projects (user_id, project_title, project_source_code_link) values (${ada.id}, 'mine', ${link})`.execute(
		db(),
	)
	expect((await listed(ada)).repositories.map(({ isAdded }) => isAdded)).toEqual([true])
	await expect(pick(ada, 1)).rejects.toThrow('These are among your projects already.')
})

test.each<[string, Answer, string]>([
	['nothing to read', { body: { message: 'odd' } }, 'GitHub does not answer right now.'],
	['too many questions', { status: 403, body: { message: 'rate limit' } }, 'GitHub does not answer right now.'],
	['a fault', { status: 502, body: '' }, 'GitHub does not answer right now.'],
	['too much', { body: [repository(1, { description: 'x'.repeat(600_000) })] }, 'GitHub does not answer right now.'],
	['nobody', { status: 404, body: {} }, 'GitHub no longer has an account with this name.'],
])('%s is reported in a sentence, and requested again', async (_what, answer, message) => {
	github = answer
	const view = await listed(ada)
	expect([view.repositories, view.problem]).toEqual([[], expect.stringContaining(message)])
	github = { body: [repository(1)] }
	expect((await listed(ada)).repositories).toHaveLength(1)
})

test('other members’ repositories are inaccessible, and there are none without a linked account', async () => {
	const bea = await makeMember('bea')
	expect(await listed(bea)).toEqual({ isLinked: false, repositories: [], problem: '' })
	await expect(pick(bea, 1)).rejects.toThrow('Link your GitHub account first.')
	await expect(getRepositories(bea, ada.username)).rejects.toThrow(NotAllowed)
	await expect(addRepositories(bea, ada.username, { repository: '1' })).rejects.toThrow(NotAllowed)
})

test('those that are added while their language is renamed have its new name', async () => {
	github = { body: [repository(1)] }
	const moderator = await makeMember('moderator', 'moderator')
	await loadTerms()
	// Storing a project ends with the member's entry in the search.
	const ended = await queuedBehind<unknown>(
		(trx) => sql`select from member_search where user_id = ${ada.id} for update`.execute(trx),
		[
			() => pick(ada, 1),
			() => actOnTerm(moderator, 'rename', findTerm('javascript')?.id ?? 0, { name: 'Java Script 2026' }),
		],
	)
	expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
	expect(await projectsOf(ada)).toMatchObject([{ stack: ['Java Script 2026'] }])
})
