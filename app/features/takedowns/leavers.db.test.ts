import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { getCase } from '~/features/moderation/queue.server.ts'
import { cancelLeaving, leave } from '~/features/privacy/leaving/leaving.server.ts'
import { getOwnStatus } from '~/features/profiles/hiding.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { finishTakedown, getTakedownPage, takeDown, undoTakedown } from './takedowns.server.ts'

useDatabase()

let made = 0
let moderator: SignedIn
let leaver: SignedIn

beforeEach(async () => {
	made += 1
	moderator = await makeMember(`moderator${made}`, 'moderator')
	leaver = await makeMember(`leaver${made}`)
	const path = `profiles/${leaver.username}/${'0'.repeat(32)}`
	await sql`
		insert into pictures (path, user_id, kind, width, height, bytes, colour)
		values (${path}, ${leaver.id}, 'profile', 96, 96, 1, '#ffffff')`.execute(db())
	await sql`update users set image = ${path} where id = ${leaver.id}`.execute(db())
	await leave(leaver, { texts: 'keep' })
})

const decide = (act: string) =>
	decideCase(moderator, { kind: 'profile', name: leaver.username, act }, { why: 'It is spam.' })

const past = async () => (await getTakedownPage(moderator, leaver.username, 'all')).past

async function hideEverything(): Promise<void> {
	await takeDown(moderator, leaver.username, { why: 'It is spam.', from: '', time: '' })
	for (const { id } of await past()) await finishTakedown({ id })
}

async function undoEverything(): Promise<void> {
	for (const { id } of await past()) {
		await undoTakedown(moderator, leaver.username, { id, why: 'A mistake.' })
		await finishTakedown({ id })
	}
}

/** What others see once the member has come back. */
async function afterReturn() {
	await cancelLeaving(leaver)
	const { rows } = await sql<{ seen: boolean }>`
		select image is not null as seen from users where id = ${leaver.id}`.execute(db())
	return { hidden: (await getOwnStatus(leaver)).hidden, hasPicture: rows[0]?.seen }
}

const shown = { hidden: null, hasPicture: true }
const hidden = { hidden: { reason: 'It is spam.' }, hasPicture: false }

test.each<[string, () => Promise<unknown>, Awaited<ReturnType<typeof afterReturn>>]>([
	['nothing is decided', async () => {}, shown],
	['a moderator hides the profile', () => decide('hide'), hidden],
	['everything of the account is hidden', hideEverything, hidden],
	['that is hidden and restored', () => decide('hide').then(() => decide('restore')), shown],
	['everything is hidden and that is undone', () => hideEverything().then(undoEverything), shown],
])('the profile of a member who cancels leaving, if meanwhile %s', async (_what, act, expected) => {
	await act()
	expect(await afterReturn()).toEqual(expected)
})

test('moderators decide about a profile that its leaving member hid as about any other', async () => {
	const stateOf = async () => {
		const { state, acts } = await getCase(moderator, { kind: 'profile', name: leaver.username })
		return [state, acts.includes('hide'), acts.includes('restore')]
	}
	expect([await stateOf(), (await getOwnStatus(leaver)).hidden]).toEqual([['visible', true, false], null])
	await decide('hide')
	expect(await stateOf()).toEqual(['hidden', false, true])
	await expect(decide('hide')).rejects.toThrow('already decided')
})
