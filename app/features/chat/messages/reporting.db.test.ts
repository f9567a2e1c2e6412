import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { getCase } from '~/features/moderation/queue.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeConversation, makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { deleteMessage, editMessage } from './changing.server.ts'
import { reportMessage } from './reporting.server.ts'

useDatabase()

let serial = 0
let mira: SignedIn
let tomas: SignedIn
let moderator: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
	moderator = await makeMember(`mod${serial}`, 'moderator')
	await makeConversation(mira, tomas)
})

const report = (id: unknown, words: unknown = 'Rude.') => reportMessage(mira, { with: tomas.username, id }, { words })
const bodies = async () => {
	const { reports } = await getCase(moderator, { kind: 'profile', name: tomas.username })
	return reports.flatMap(({ extracts }) => extracts.map((lines) => lines.map(({ body }) => body)))
}

test('moderators see the reported message and five before it, as they were, and nothing else', async () => {
	const sent = []
	for (let index = 0; index < 8; index += 1)
		sent.push(await makeMessage(index % 2 ? mira : tomas, index % 2 ? tomas : mira, `line ${index}`))
	await report(sent[6]?.id)
	const seen = ['line 1', 'line 2', 'line 3', 'line 4', 'line 5', 'line 6']
	expect(await bodies()).toEqual([seen])
	await editMessage(tomas, { with: mira.username, id: sent[6]?.id }, { body: 'harmless' })
	await deleteMessage(tomas, { with: mira.username, id: sent[4]?.id })
	expect(await bodies()).toEqual([seen])
	const { reports, reportCount } = await getCase(moderator, { kind: 'profile', name: tomas.username })
	expect([reportCount, reports[0]?.reporter.username, reports[0]?.details]).toEqual([1, mira.username, 'Rude.'])
})

test('a second message is added to the open report, and none is reported twice', async () => {
	const [one, two] = [await makeMessage(tomas, mira, 'one'), await makeMessage(tomas, mira, 'two')]
	await report(one.id)
	await expect(report(one.id)).rejects.toMatchObject({ status: 409 })
	await report(two.id, 'Again.')
	const { reports, reportCount } = await getCase(moderator, { kind: 'profile', name: tomas.username })
	expect(reportCount).toBe(1)
	expect(reports.map(({ details, extracts }) => [details, extracts.length])).toEqual([['Rude.\nAgain.', 2]])
})

test('a report contains nothing that the reporter cannot see', async () => {
	await setBlocked(mira, tomas.username, true)
	const hidden = await makeMessage(tomas, mira, 'hidden')
	await setBlocked(mira, tomas.username, false)
	const shown = await makeMessage(tomas, mira, 'shown')
	await expect(report(hidden.id)).rejects.toMatchObject({ status: 404 })
	await report(shown.id)
	expect(await bodies()).toEqual([['Are you there?', 'I am.', 'shown']])
})

test.each<[string, () => Promise<unknown>, number]>([
	['an own message', async () => report((await makeMessage(mira, tomas)).id), 404],
	['no message', () => report('x'), 404],
	['a message of another conversation', async () => report((await makeMessage(tomas, moderator)).id), 404],
	['nothing in words', async () => report((await makeMessage(tomas, mira)).id, ' '), 422],
	['only invisible words', async () => report((await makeMessage(tomas, mira)).id, '\u200b\u3164'), 422],
	['a conversation that is none', () => reportMessage(mira, { with: `mod${serial}`, id: 1 }, { words: 'x' }), 404],
	['anything as a visitor', () => reportMessage(null, { with: tomas.username, id: 1 }, { words: 'x' }), 403],
	[
		'a deleted message',
		async () => {
			const { id } = await makeMessage(tomas, mira)
			await deleteMessage(tomas, { with: mira.username, id })
			return report(id)
		},
		404,
	],
])('%s cannot be reported', async (_what, act, status) => {
	await expect(act()).rejects.toMatchObject({ status })
	const { rows } = await sql`select from reports where reporter_id = ${mira.id}`.execute(db())
	expect(rows).toEqual([])
})

test('the eleventh report in an hour is refused', async () => {
	for (let sent = 0; sent < 10; sent += 1) await report((await makeMessage(tomas, mira)).id)
	await passTime()
	await expect(report((await makeMessage(tomas, mira)).id)).rejects.toMatchObject({ status: 429 })
})
