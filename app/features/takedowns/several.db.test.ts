import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { expectCountsToHold } from '../../../tests/support/forum-rows.ts'
import { getSeveralPage, takeDownSeveral, undoSeveral } from './several.server.ts'
import { finishTakedown } from './takedowns.server.ts'

useDatabase()

let round = 0
let moderator: SignedIn
let spammers: SignedIn[]
/** The usernames as a moderator types them. */
let typed: string
const words = { why: 'Shoes.', from: '', time: 'for ever' }

beforeEach(async () => {
	round += 1
	moderator = await makeMember(`keeper${round}`, 'moderator')
	spammers = []
	for (const which of ['one', 'two', 'three']) spammers.push(await makeMember(`${which}${round}`))
	const asked = await makeQuestion(moderator, { title: 'A question that is worth an answer' })
	for (const spammer of spammers) {
		await makeQuestion(spammer, { title: `Cheap shoes of ${spammer.username}` })
		await makeComment(spammer, asked.id, 'Buy shoes.')
	}
	typed = `@one${round}, TWO${round}\nthree${round} nobody${round}`
})

/** How the posts of a spammer stand. */
async function statuses({ id }: SignedIn): Promise<string[]> {
	const { rows } = await sql<{ status: string }>`
		select status from questions where author_id = ${id} union all select status from comments where author_id = ${id}`.execute(
		db(),
	)
	return rows.map(({ status }) => status)
}

async function finishAll(): Promise<void> {
	const { rows } = await sql<{ id: number }>`select id from takedowns where state in ('running', 'undoing')`.execute(
		db(),
	)
	for (const row of rows) await finishTakedown(row)
}

const page = (viewer = moderator, names = typed) => getSeveralPage(viewer, names, 'all')

test('hides everything of several accounts and suspends them; undoing restores all of it', async () => {
	const before = await page()
	expect(before.amounts.map(({ count }) => count)).toEqual([3, 3, 0, 0, 3])
	expect(before.leftOut).toEqual([{ why: 'There is no such member.', usernames: [`nobody${round}`] }])
	expect(await takeDownSeveral(moderator, { ...words, accounts: typed })).toMatchObject({ done: 3 })
	await finishAll()
	for (const spammer of spammers) expect(await statuses(spammer)).toEqual(['hidden', 'hidden'])
	await expectCountsToHold()
	const { rows } = await sql<{ count: number }>`
		select count(*)::int from users where id = any(${spammers.map(({ id }) => id)}::int[]) and suspended_until = 'infinity'`.execute(
		db(),
	)
	expect(rows).toEqual([{ count: 3 }])
	const after = await page()
	expect(after.amounts.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0])
	expect(after.accounts.map(({ last }) => last?.state)).toEqual(['done', 'done', 'done'])
	const ids = after.accounts.map(({ last }) => last?.id).join(',')
	expect(await undoSeveral(moderator, { why: 'A mistake.', ids, accounts: typed })).toMatchObject({ done: 3 })
	await finishAll()
	for (const spammer of spammers) expect(await statuses(spammer)).toEqual(['published', 'published'])
	await expectCountsToHold()
	const admin = await makeMember(`reader${round}`, 'admin')
	const { rows: log } = await listLog(admin, { member: `two${round}`, cursor: null })
	expect(log.map(({ act, why, note }) => [act, why, note])).toEqual([
		['undo hiding everything', 'A mistake.', 'one of 3 chosen accounts'],
		['hide everything', 'Shoes.', 'and suspend for ever, one of 3 chosen accounts'],
	])
})

test('an account that is refused does not stop the others', async () => {
	const other = await makeMember(`colleague${round}`, 'moderator')
	const { done, leftOut } = await takeDownSeveral(moderator, {
		...words,
		accounts: `${other.username} one${round} ${moderator.username}`,
	})
	expect(done).toBe(1)
	expect(leftOut).toEqual([
		{ why: 'You cannot decide about this member. Ask an admin.', usernames: [other.username, moderator.username] },
	])
	// One that is still in progress is left out as well.
	await sql`update takedowns set state = 'running' where member_id = ${spammers[0]?.id}`.execute(db())
	const again = await takeDownSeveral(moderator, { ...words, accounts: `one${round} two${round}` })
	expect([again.done, again.leftOut.map(({ usernames }) => usernames)]).toEqual([1, [[`one${round}`]]])
})

test('a second time it hides only what there is, so that the first time can still be undone', async () => {
	await takeDownSeveral(moderator, { ...words, accounts: `one${round} two${round}` })
	await finishAll()
	const again = await takeDownSeveral(moderator, { ...words, accounts: typed })
	expect(again).toMatchObject({
		done: 1,
		leftOut: [
			{ why: 'There is no such member.', usernames: [`nobody${round}`] },
			{ why: 'There is nothing to hide.', usernames: [`one${round}`, `two${round}`] },
		],
	})
	await finishAll()
	const ids = (await page()).accounts.map(({ last }) => last?.id).join(',')
	await undoSeveral(moderator, { why: 'A mistake.', ids, accounts: typed })
	await finishAll()
	for (const spammer of spammers) expect(await statuses(spammer)).toEqual(['published', 'published'])
})

test('undoing leaves out what another moderator has hidden since', async () => {
	await takeDownSeveral(moderator, { ...words, time: '', accounts: typed })
	await finishAll()
	const { accounts } = await page()
	const ids = accounts.map(({ last }) => last?.id).join(',')
	await makeQuestion(spammers[0] ?? moderator, { title: 'More cheap shoes, once more' })
	await takeDownSeveral(moderator, { ...words, accounts: `one${round}` })
	await finishAll()
	const { done, leftOut } = await undoSeveral(moderator, { why: 'A mistake.', ids, accounts: typed })
	expect(done).toBe(2)
	expect(leftOut).toContainEqual({ why: 'There is another one since. Reload the page.', usernames: [`one${round}`] })
})

test('is for moderators, names at least one account and at most 100, and needs a reason', async () => {
	const [spammer = moderator] = spammers
	await expect(page(spammer)).rejects.toThrow(NotAllowed)
	await expect(takeDownSeveral(spammer, { ...words, accounts: `two${round}` })).rejects.toThrow(NotAllowed)
	await expect(takeDownSeveral(moderator, { ...words, accounts: `nobody${round}` })).rejects.toThrow(Invalid)
	await expect(takeDownSeveral(moderator, { ...words, why: ' ', accounts: typed })).rejects.toThrow(Invalid)
	const many = Array.from({ length: 101 }, (_, index) => `member${index}`).join(' ')
	await expect(page(moderator, many)).rejects.toThrow('At most 100 accounts at once.')
	expect((await page(moderator, '')).accounts).toEqual([])
})

test('a moderator who loses the role meanwhile takes down nothing more', async () => {
	await sql`update users set role = 'member' where id = ${moderator.id}`.execute(db())
	const { done, leftOut } = await takeDownSeveral(moderator, { ...words, accounts: typed })
	expect([done, leftOut.at(-1)]).toEqual([
		0,
		{ why: 'Only moderators can do this.', usernames: spammers.map(({ username }) => username).sort() },
	])
	for (const spammer of spammers) expect(await statuses(spammer)).toEqual(['published', 'published'])
})
