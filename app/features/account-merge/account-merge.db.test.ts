import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { saveDraft } from '~/features/asking/drafts.server.ts'
import { saveBookmark } from '~/features/bookmarks/bookmarks.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { castVote } from '~/features/discussion/votes.server.ts'
import { followQuestion } from '~/features/following/following.server.ts'
import { features } from '~/features/index.server.ts'
import { makePseudonym } from '~/features/members/pseudonyms.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { takeDown, undoTakedown } from '~/features/takedowns/takedowns.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { checkCounters } from '~/platform/db/counters.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures, makeMessage, passTime } from '../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { makePicture } from '../../../tests/factories/profiles.ts'
import { cellsWith } from '../../../tests/support/cells.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { columnsWithout, plantEverything } from '../../../tests/support/planted-member.ts'
import { claimUsername } from '../accounts/accounts.queries.server.ts'
import { currentUsername } from '../identity/usernames/former-names.server.ts'
import { getMergePage, mergeAccounts, movedColumns } from './merging.server.ts'

useDatabase()
useJobTables()

/** Occurs in everything that a member writes, and nowhere else. */
const WORD = 'zwyrbelfink'
/** The id of the member under test. No other number in the database has these digits. */
const PLANTED_ID = 1_739_518_246

const people = {} as Record<'admin' | 'second' | 'peer' | 'other', SignedIn>

beforeAll(async () => {
	for (const name of ['admin', 'second', 'peer', 'other'] as const)
		people[name] = await makeMember(name, name === 'admin' || name === 'second' ? 'admin' : 'member')
	await sql`insert into profiles (user_id) select id from users where not imported`.execute(db())
	await sql`update counters set value = 4 where name = 'members'`.execute(db())
})

/** Registers a member with a profile, as the registration does. */
async function join(username: string, role: SignedIn['role'] = 'member'): Promise<SignedIn> {
	const member = await makeMember(username, role)
	await claimUsername(username)
	await sql`insert into profiles (user_id) values (${member.id})`.execute(db())
	await sql`update counters set value = value + 1 where name = 'members'`.execute(db())
	return member
}

const merge = (gone: SignedIn, kept: SignedIn, actor = people.admin, words: Record<string, string> = {}) =>
	mergeAccounts(actor, gone.username, {
		into: kept.username,
		username: gone.username,
		why: 'Registered twice.',
		...words,
	})

const preview = async (gone: SignedIn, into: string) => (await getMergePage(people.admin, gone.username, into)).preview

/** Asserts that all counters, conversations and accounts are consistent. */
async function expectAllToHold(): Promise<void> {
	const figures = () =>
		sql`
		select 'question' as what, id::text, score, comment_count, affected_count from questions
		union all select 'comment', id::text, score, 0, 0 from comments
		union all select 'skill', id::text, member_count, 0, 0 from skills
		union all select 'case', id::text, report_count, 0, 0 from cases
		union all select 'counter', name, value::int, 0, 0 from counters order by 1, 2`.execute(db())
	const before = (await figures()).rows
	await checkCounters(features.flatMap(({ counters = [] }) => counters))
	expect((await figures()).rows).toEqual(before)
	expect(await findBrokenFigures()).toEqual([])
	const { rows } = await sql`
		select user_id from notification_boxes box where unread <> (
			select count(*) from notifications n where n.user_id = box.user_id and on_site and read_at is null)
		union all select stale_evidence(array(select id from users))`.execute(db())
	expect(rows).toEqual([])
}

describe('merging a member with data in every table', () => {
	let planted: SignedIn
	let kept: SignedIn

	beforeAll(async () => {
		kept = await join('kept')
		const sequence = sql`pg_get_serial_sequence('users', 'id')`
		const { rows } = await sql<{ last: string }>`select last_value as last from users_id_seq`.execute(db())
		await sql`select setval(${sequence}, ${PLANTED_ID - 1})`.execute(db())
		planted = await join('planted')
		await sql`select setval(${sequence}, ${rows[0]?.last}::bigint)`.execute(db())
		await plantEverything(planted, people, { texts: WORD, own: WORD, name: `Mira ${WORD}` })
	})

	test('leaves no reference to the account, and keeps everything readable', async () => {
		expect(planted.id).toBe(PLANTED_ID)
		const before = new Set(await columnsWithout([WORD]))
		await merge(planted, kept)
		expect(await cellsWith(String(PLANTED_ID))).toEqual([])
		const ended = new Set(
			movedColumns(features).flatMap(({ table, rule }) => (typeof rule === 'object' && 'ends' in rule ? [table] : [])),
		)
		const lost = (await columnsWithout([WORD])).filter(
			(column) => !before.has(column) && !ended.has(column.split('.')[0] ?? ''),
		)
		expect(lost).toEqual(Object.keys(LOST))
		await expectAllToHold()
	})

	test('redirects each of its names, which nobody can register', async () => {
		expect(await currentUsername('planted')).toBe('kept')
		expect(await claimUsername('planted')).toBe(false)
		expect((await sql`select from left_usernames`.execute(db())).rows).toEqual([])
	})
})

/** Data that a merge loses, besides the rows whose rule is to end, each with the reason. */
const LOST: Record<string, string> = {
	'own_words.words': 'is gathered anew when the member searches their messages',
	'profiles.campus_name': 'says nothing without the mark of a confirmed address',
	'users.name': 'the kept account has its own',
	'users.suspended_reason': 'of a suspension that is over',
	'verifications.identifier': 'a link to set a new password of the account that is gone',
}

/** Lena has two accounts, and was active with both. */
describe('data that both accounts have', () => {
	let gone: SignedIn
	let kept: SignedIn
	const posts = { others: 0, answer: 0, mine: 0, theirs: 0, hidden: 0 }

	beforeAll(async () => {
		const { peer, other } = people
		gone = await join('lena-2')
		kept = await join('lena')
		await sql`update users set second_email = 'lena@home.example' where id = ${kept.id}`.execute(db())
		posts.others = (await makeQuestion(other)).id
		posts.answer = await makeComment(gone, posts.others, 'By the second account.')
		posts.mine = (await makeQuestion(kept)).id
		posts.theirs = (await makeQuestion(gone)).id
		await makeComment(gone, posts.mine, 'An answer of the same person.')
		for (const lena of [gone, kept]) {
			await castVote(lena, { questionId: posts.others, commentId: null, vote: 1 })
			await saveBookmark(lena, { kind: 'query', id: posts.others }, { note: `Note of ${lena.username}` })
			await setBlocked(lena, 'second', true)
			await reportSubject(lena, { kind: 'query', name: String(posts.others) }, { reason: 'spam' })
			await reportSubject(other, { kind: 'profile', name: lena.username }, { reason: 'spam', details: lena.username })
			await makeMessage(lena, peer, `From ${lena.username}.`)
			await makeMessage(peer, lena, `To ${lena.username}.`)
		}
		await passTime()
		await castVote(kept, { questionId: posts.theirs, commentId: null, vote: 1 })
		await followQuestion(kept, posts.theirs, true)
		await sql`insert into outdated_marks (comment_id, user_id, version, reason) values (${posts.answer}, ${kept.id}, 1, '')`.execute(
			db(),
		)
		await makeMessage(gone, kept, 'A note to myself.')
		await setBlocked(kept, 'lena-2', true)
		await hideUnderPseudonym(gone)
	})

	/** Adds a question under a pseudonym that the other account answered. */
	async function hideUnderPseudonym(asker: SignedIn): Promise<void> {
		posts.hidden = (await makeQuestion(asker)).id
		const { id } = await db()
			.transaction()
			.execute((trx) => makePseudonym(trx, asker))
		await sql`update questions set author_id = ${id} where id = ${posts.hidden}`.execute(db())
		await makeComment(kept, posts.hidden, 'By the first account.')
		await castVote(kept, { questionId: posts.hidden, commentId: null, vote: 1 })
	}

	test('is previewed, without revealing pseudonyms', async () => {
		const found = await preview(gone, '@LENA')
		expect(found?.moves).toContainEqual({ label: 'Queries', count: 1 })
		expect(found?.moves).toContainEqual({ label: 'Conversations', count: 1 })
		expect(found?.same).toEqual([
			{ label: 'Blocked members', count: 1 },
			{ label: 'Bookmarks', count: 1 },
			{ label: 'Votes for queries', count: 1 },
		])
		expect(found?.facts.join(' ')).toMatch(/1 member: .*1 message to each other.*1 vote for each other/)
		expect(await preview(gone, 'lena@campus.example')).toEqual(found)
		// What reaches the member behind a pseudonym changes no count.
		await makeComment(kept, posts.hidden, 'And another thing.')
		await saveDraft(gone, { key: 'ask', title: 'T', description: '', tags: '', category: 'others', pseudonym: 'true' })
		await makePicture(gone, 'post')
		expect(await preview(gone, '@lena')).toEqual(found)
	})

	test('is merged, and all counters match', async () => {
		const pseudonym = await sql`select author_id, score from questions where id = ${posts.hidden}`.execute(db())
		expect(await merge(gone, kept)).toBe('lena')
		await expectAllToHold()
		const { rows } = await sql<Record<string, number>>`
			select (select count(*)::int from question_votes where user_id = ${kept.id}) as votes,
				(select count(*)::int from bookmarks where user_id = ${kept.id}) as bookmarks,
				(select count(*)::int from blocks where blocker_id = ${kept.id}) as blocks,
				(select score from questions where id = ${posts.theirs}) as own_score,
				(select count(*)::int from follows where user_id = ${kept.id}) as follows,
				(select count(*)::int from outdated_marks where user_id = ${kept.id}) as marks,
				(select count(*)::int from cases where kind = 'profile' and target_id in (${gone.id}, ${kept.id})) as cases,
				(select count(*)::int from reports where details in ('lena', 'lena-2')) as reports,
				(select count(*)::int from reports where reporter_id = ${kept.id} and settled_at is null) as open_reports`.execute(
			db(),
		)
		const own = { votes: 2, bookmarks: 1, blocks: 1, own_score: 0, follows: 0, marks: 0 }
		expect(rows[0]).toEqual({ ...own, cases: 1, reports: 2, open_reports: 1 })
		const notes = await sql`select note from bookmarks where user_id = ${kept.id}`.execute(db())
		expect(notes.rows).toEqual([{ note: 'Note of lena\nNote of lena-2' }])
		// Neither the author nor the score reveals the asker.
		expect(await sql`select author_id, score from questions where id = ${posts.hidden}`.execute(db())).toEqual(
			pseudonym,
		)
	})

	test('merges two conversations with the same member in the order of messages', async () => {
		const { rows } = await sql<{ body: string }>`
			select body from messages where ${kept.id} in (sender_id, recipient_id) order by id`.execute(db())
		expect(rows.map(({ body }) => body)).toEqual(['From lena-2.', 'To lena-2.', 'From lena.', 'To lena.'])
		const sides = await sql`
			select user_id = ${kept.id} as mine, unread, pending from conversation_members
			where conversation_id = (select id from conversations where ${kept.id} in (lower_id, higher_id)) order by 1`.execute(
			db(),
		)
		expect(sides.rows).toEqual([
			{ mine: false, unread: 2, pending: false },
			{ mine: true, unread: 2, pending: false },
		])
		await makeMessage(people.peer, { ...kept, username: 'lena-2' }, 'By the old name.')
		expect(await findBrokenFigures()).toEqual([])
	})

	test('is logged with actor and accounts, and mailed to every address', async () => {
		const { rows } = await sql<{ note: string }>`
			select facts ->> 'note' as note from moderation_log
			where act = 'merge accounts' and actor_id = ${people.admin.id} and member_id = ${kept.id}`.execute(db())
		expect(rows[0]?.note).toMatch(/^@lena-2 into @lena, .*Queries: 1, Comments: 2/)
		const textTo = async (address: string) => (await queuedMails(address)).map(({ text }) => text).join()
		expect(await textTo('lena-2@campus.example')).toContain('no longer let you log in')
		for (const address of ['lena@campus.example', 'lena@home.example'])
			expect(await textTo(address), address).toContain('You log in as before')
		const events = await sql`select kind from security_events where user_id = ${kept.id}`.execute(db())
		expect(events.rows).toContainEqual({ kind: 'accounts-merged' })
	})
})

type Prepare = (gone: SignedIn, kept: SignedIn) => Promise<unknown>

describe('accounts that cannot be merged', () => {
	const set = (member: SignedIn, change: ReturnType<typeof sql>) =>
		sql`update users set ${change} where id = ${member.id}`.execute(db())
	const leaving = sql`leaves_at = now() + interval '1 day'`
	const suspended = sql`suspended_until = 'infinity', suspended_reason = 'Spam.'`

	const nothing = async () => {}
	test.each<[string, (gone: SignedIn, kept: SignedIn) => Promise<unknown>, string, Prepare]>([
		['an account with itself', (gone) => merge(gone, gone), 'the same account', nothing],
		['the admin’s own, as what goes', (_, kept) => merge(people.admin, kept), 'your own account', nothing],
		['the admin’s own, as what is kept', (gone) => merge(gone, people.admin), 'your own account', nothing],
		[
			'by a moderator',
			(gone, kept) => merge(gone, kept, { ...people.admin, role: 'moderator' }),
			'Only admins',
			nothing,
		],
		['by who was an admin', (gone, kept) => merge(gone, kept, { ...people.peer, role: 'admin' }), 'Only', nothing],
		[
			'another name typed',
			(gone, kept) => merge(gone, kept, people.admin, { username: kept.username }),
			'Type gone',
			nothing,
		],
		['without a reason', (gone, kept) => merge(gone, kept, people.admin, { why: ' ' }), 'Say why', nothing],
		['into nobody', (gone, kept) => merge(gone, { ...kept, username: 'nobody' }), 'no longer exists', nothing],
		['one that leaves', merge, 'is being deleted', (gone) => set(gone, leaving)],
		['into one that leaves', merge, 'is being deleted', (_, kept) => set(kept, leaving)],
		[
			'one under an act',
			merge,
			'is being hidden',
			(gone) =>
				sql`
			insert into takedowns (member_id, actor_id, reason, posted_until) values (${gone.id}, ${people.admin.id}, 'x', now())`.execute(
					db(),
				),
		],
		[
			'the suspended into staff',
			merge,
			'staff cannot be',
			async (gone, kept) => {
				await set(gone, suspended)
				await set(kept, sql`role = 'moderator'`)
			},
		],
	])('%s', async (_, attempt, message, prepare) => {
		const number = `${message.length}${Math.random()}`.replaceAll('.', '')
		const [gone, kept] = [await join(`gone${number}`), await join(`kept${number}`)]
		await prepare(gone, kept)
		await expect(attempt(gone, kept)).rejects.toThrow(message)
		const { rows } = await sql`select from users where id in (${gone.id}, ${kept.id})`.execute(db())
		expect(rows).toHaveLength(2)
	})

	test('suspension and hidden profile are transferred, the role is not', async () => {
		const [gone, kept] = [await join('punished', 'moderator'), await join('clean')]
		await set(gone, sql`suspended_until = now() + interval '1 day', suspended_reason = 'Spam.'`)
		await sql`update profiles set hidden_at = now(), hidden_reason = 'Rude.', about = 'Rude words' where user_id = ${gone.id}`.execute(
			db(),
		)
		await merge(gone, kept)
		const { rows } = await sql`
			select role, suspended_reason, suspended_until > now() as suspended, hidden_reason, about
			from users join profiles on user_id = id where id = ${kept.id}`.execute(db())
		expect(rows).toEqual([
			{ role: 'member', suspended_reason: 'Spam.', suspended: true, hidden_reason: 'Rude.', about: '' },
		])
	})

	test('the more private settings win, and empty fields are filled', async () => {
		const [gone, kept] = [await join('open'), await join('shy')]
		await sql`update profiles set city = 'Eastmere', about = 'Theirs', only_me = '{city}' where user_id = ${gone.id}`.execute(
			db(),
		)
		await sql`update profiles set about = 'Mine', listed = false where user_id = ${kept.id}`.execute(db())
		await sql`
			insert into certificates (user_id, certificate_title) select id, title from unnest(array['Pilot', 'Diver']) as title, users
			where id = ${gone.id} or id = ${kept.id} and title = 'Diver'`.execute(db())
		await merge(gone, kept)
		const { rows } = await sql`
			select city, about, only_me, listed, (select count(*)::int from certificates c where c.user_id = profiles.user_id) as certificates
			from profiles where user_id = ${kept.id}`.execute(db())
		expect(rows).toEqual([{ city: 'Eastmere', about: 'Mine', only_me: ['city'], listed: false, certificates: 2 }])
	})
})

test('undoing a takedown does not restore a vote on what is now the voter’s own text', async () => {
	const [gone, kept] = [await join('twice'), await join('once')]
	const { id } = await makeQuestion(gone)
	await castVote(kept, { questionId: id, commentId: null, vote: 1 })
	await takeDown(people.admin, kept.username, { why: 'Spam.', from: '', time: '' })
	await merge(gone, kept)
	const { rows } = await sql<{ id: number }>`select id from takedowns where member_id = ${kept.id}`.execute(db())
	await undoTakedown(people.admin, kept.username, { why: 'No spam.', id: rows[0]?.id })
	const { rows: scores } = await sql`select score from questions where id = ${id}`.execute(db())
	expect(scores).toEqual([{ score: 0 }])
	await expectAllToHold()
})

describe('concurrency', () => {
	test('of two opposite merges by two admins one succeeds', async () => {
		const [one, other] = [await join('this-way'), await join('that-way')]
		const done = await Promise.allSettled([merge(one, other), merge(other, one, people.second)])
		expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
		expect(done.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 409 } })
		const { rows } = await sql`select from users where id in (${one.id}, ${other.id})`.execute(db())
		expect(rows).toHaveLength(1)
	})

	test('concurrent writes are either merged or refused', async () => {
		const [gone, kept] = [await join('busy-2'), await join('busy')]
		const question = await makeQuestion(gone)
		const elsewhere = await makeQuestion(people.other)
		await makeMessage(people.peer, gone, 'Hello.')
		await makeMessage(gone, people.peer, 'Hello back.')
		await passTime()
		const attempts = [
			...[1, 2, 3].map((number) => () => makeComment(gone, question.id, `By the account, ${number}.`)),
			...[1, 2, 3].map((number) => () => makeComment(people.other, question.id, `By another, ${number}.`)),
			() => makeMessage(people.peer, gone, 'While it happens.'),
			() => makeMessage(gone, people.other, 'Too late?'),
			() => castVote(gone, { questionId: question.id, commentId: null, vote: 1 }),
			() => castVote(people.other, { questionId: question.id, commentId: null, vote: 1 }),
			() => saveBookmark(gone, { kind: 'query', id: elsewhere.id }),
			() => makeQuestion(gone),
		]
		const [merged, ...rest] = await Promise.allSettled([merge(gone, kept), ...attempts.map((attempt) => attempt())])
		expect(merged).toMatchObject({ status: 'fulfilled' })
		const refusals = rest.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
		expect(refusals.filter((reason) => /deadlock|violates|TypeError/.test(reason))).toEqual([])
		await expectAllToHold()
		const { rows } = await sql<{ count: number }>`
			select count(*)::int as count from comments where question_id = ${question.id} and author_id in (${kept.id}, ${people.other.id})`.execute(
			db(),
		)
		const written = rest.slice(0, 6).filter(({ status }) => status === 'fulfilled')
		expect(rows[0]?.count).toBe(written.length)
		const names = await sql`select from messages where ${gone.id} in (sender_id, recipient_id)`.execute(db())
		expect(names.rows).toEqual([])
	})
})
