import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { changeUsername } from '~/features/identity/usernames/usernames.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'

useDatabase()

let admin: SignedIn
let token: string

/* Whatever names a member is followed to them after they have changed their username. */
beforeAll(async () => {
	await startJobs()
	await stopJobs()
	const nell = await makeMember('nell')
	admin = await makeMember('ada', 'admin')
	await makeMember('modd', 'moderator').then((moderator) => changeUsername(moderator, { username: 'modd.new' }))
	token = (await makeToken(admin, { name: 'test', scopes: ['read', 'write', 'moderate'], days: 7 })).token
	await makeQuestion(nell)
	await reportSubject(admin, { kind: 'profile', name: 'nell' }, { reason: 'spam' })
	await callApi('POST', '/moderation/profile/nell/acts', {
		token,
		body: { act: 'suspend', why: 'A day off.', time: '1 day' },
	})
	await callApi('POST', '/moderation/profile/nell/acts', { token, body: { act: 'lift' } })
	await changeUsername(nell, { username: 'nell.new' })
})

const read = async (path: string) => {
	const answer = await callApi('GET', path, { token })
	return [answer.status, ((await answer.json()) as { rows?: object[] }).rows?.length]
}

test('the questions of an author', async () => {
	expect(await read('/queries?author=Nell')).toEqual([200, 1])
	expect(await read('/queries?author=nell.new')).toEqual([200, 1])
	expect(await read('/queries?author=nobody')).toEqual([404, undefined])
})

test('the case of a profile, whose address was mailed before', async () => {
	expect((await callApi('GET', '/moderation/profile/nell', { token })).status).toBe(200)
	expect(await (await callApi('GET', '/moderation/profile/NELL', { token })).json()).toMatchObject({
		author: { username: 'nell.new' },
	})
})

test('the log of a member', async () => {
	const now = await read('/moderation/log?member=nell.new')
	expect(now[1]).toBeGreaterThan(0)
	expect(await read('/moderation/log?member=@nell')).toEqual(now)
})

test('the assignee of a case, and who is asked to answer', async () => {
	const { id } = await makeQuestion(admin)
	const asked = { token, body: { username: 'nell' } }
	expect((await callApi('POST', `/queries/${id}/invitations`, asked)).status).toBe(204)
	const reporter = await makeMember('omar')
	await reportSubject(reporter, { kind: 'query', name: String(id) }, { reason: 'spam' })
	const path = `/moderation/query/${id}/assignee`
	expect((await callApi('PUT', path, { token, body: { assignee: 'modd' } })).status).toBe(200)
})
