import { sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { MAX_BOOKMARKS } from '~/features/bookmarks/bookmarks.limits.ts'
import { removeBookmark, restoreBookmark, saveBookmark } from '~/features/bookmarks/bookmarks.server.ts'
import { MAX_BLOCKED, setBlocked } from '~/features/conversations/conversations.server.ts'
import { editComment } from '~/features/discussion/commenting.server.ts'
import { MAX_MUTED } from '~/features/notifications/notifications.server.ts'
import { saveSocial } from '~/features/profile-editor/editing.server.ts'
import { addProject } from '~/features/profile-editor/items.server.ts'
import { profileLimits } from '~/features/profile-editor/profile.limits.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { postLimits } from '~/features/questions/questions.limits.ts'
import { getResume } from '~/features/resume/resume.server.ts'
import { MAX_FOLLOWED_TAGS, setFollowing } from '~/features/tags/following.server.ts'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { type UseLimit, usageLimits } from './limits.server.ts'
import { sweepRateLimits } from './rate-limits.queries.server.ts'
import {
	countAttempt,
	countPage,
	countUse,
	getAttemptCounts,
	measureUse,
	reserveAttempt,
	takeBackAttempt,
	type UseName,
} from './rate-limits.server.ts'

useDatabase()

let made = 0
let member: SignedIn
let author: SignedIn

beforeAll(async () => {
	author = await makeMember('author')
})

beforeEach(async () => {
	// With real time a slow machine could reach the end of the window during the test.
	vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
	member = await makeMember(`member${++made}`)
})

afterEach(() => {
	vi.useRealTimers()
})

/** How often it succeeds in sequence before it is refused. */
async function timesUntilRefused(work: () => Promise<unknown>, most: number): Promise<[number, unknown]> {
	for (let times = 0; times <= most; times += 1) {
		const refusal = await work().then(
			() => null,
			(error: unknown) => error,
		)
		if (refusal) return [times, refusal]
	}
	return [most + 1, null]
}

const isWorded = (name: keyof typeof usageLimits): name is UseName => 'words' in usageLimits[name]
const all = Object.keys(usageLimits) as (keyof typeof usageLimits)[]
const names = all.filter(isWorded)
const blockOf = (name: keyof typeof usageLimits) => (usageLimits[name] as UseLimit).block

describe('a limit of reading or writing', () => {
	test.each(names)(
		'%s: a member has as often as the table says, others are not held up, and the pause is told',
		async (name) => {
			const { member: most, duration, words } = usageLimits[name]
			const [times, refusal] = await timesUntilRefused(() => countUse(name, member, '192.0.2.1'), most)
			expect(times).toBe(most)
			expect(refusal).toBeInstanceOf(TooManyRequests)
			const { message, retryAfter } = refusal as TooManyRequests
			const pause = duration > 5_400 ? '\\d\\d? hours' : 'a minute|\\d\\d? minutes'
			expect(message).toMatch(new RegExp(`^${words} in a short time\\. Wait (${pause}), then try again\\.$`))
			expect(retryAfter).toBeGreaterThan(duration - 60)
			expect(retryAfter).toBeLessThanOrEqual(duration)
			await countUse(name, author, '192.0.2.1')
		},
	)

	test.each(names.filter((name) => usageLimits[name].address !== null))(
		'%s: the visitors of an address share one',
		async (name) => {
			const most = Number(usageLimits[name].address)
			const [times, refusal] = await timesUntilRefused(() => countUse(name, null, `2001:db8:0:${made}::1`), most)
			expect([times, refusal instanceof TooManyRequests]).toEqual([most, true])
			await expect(countUse(name, null, `2001:db8:0:${made}:ffff::2`)).rejects.toThrow(TooManyRequests)
			await countUse(name, null, `2001:db8:1:${made}::1`)
			await countUse(name, member, `2001:db8:0:${made}::1`)
		},
	)

	test.each(all.filter((name) => !isWorded(name)))(
		'%s: a feature that words its refusal is told what is left, of a member and of an address',
		async (name) => {
			const { member: ofMember, address: ofAddress, duration } = usageLimits[name]
			const callers = [
				{ count: () => measureUse(name, member, '192.0.2.1'), limit: ofMember },
				{ count: () => measureUse(name, null, '192.0.2.1'), limit: ofAddress },
			]
			for (const { count, limit } of callers) {
				if (limit === null) continue
				for (let left = limit - 1; left >= 0; left -= 1)
					expect(await count()).toMatchObject({ limit, left, exceeded: false })
				const { left, reset, exceeded } = await count()
				expect([left, exceeded, reset > 0 && reset <= duration]).toEqual([0, true, true])
			}
			expect((await measureUse(name, author, '192.0.2.1')).exceeded).toBe(false)
		},
	)

	test('leaves no counter behind after its window', async () => {
		await countUse('peopleSearch', member)
		await countUse('edits', member)
		const ended = `rate:peopleSearch:member:${member.id}`
		await sql`update rate_limits set expire = ${Date.now() - 3_700_000} where key = ${ended}`.execute(db())
		await sql`insert into attempts (key, count, last_at) values
			('login-account:old', 1, now() - interval '9 days'), ('login-account:new', 1, now())`.execute(db())
		await sweepRateLimits()
		const { rows } = await sql<{ key: string }>`
			select key from rate_limits where key like ${`%:member:${member.id}`}
			union all select key from attempts where key in ('login-account:old', 'login-account:new')`.execute(db())
		expect(rows.map(({ key }) => key)).toEqual([`rate:edits:member:${member.id}`, 'login-account:new'])
	})

	test('a shared counter ends with its window', async () => {
		await timesUntilRefused(() => countUse('peopleSearch', member), usageLimits.peopleSearch.member)
		await sql`update rate_limits set expire = ${Date.now() - 1} where key like ${`rate:peopleSearch:member:${member.id}`}`.execute(
			db(),
		)
		await expect(countUse('peopleSearch', member)).resolves.toBeUndefined()
	})

	test('a shared counter is updated once per block', async () => {
		const points = async () => {
			const { rows } = await sql<{ points: number }>`
				select points from rate_limits where key = ${`rate:profiles:member:${member.id}`}`.execute(db())
			return rows[0]?.points
		}
		for (const [times, expected] of [
			[1, 20],
			[19, 20],
			[1, 40],
		] as const) {
			for (let time = 0; time < times; time += 1) await countUse('profiles', member)
			expect(await points()).toBe(expected)
		}
	})

	test.each(all.filter(blockOf))(
		'of many uses of %s at once no more pass than its limit, and no fewer, though they are taken in blocks',
		async (name) => {
			const { member: most } = usageLimits[name]
			const quotas = await Promise.all(Array.from({ length: most + 3 }, () => measureUse(name, member)))
			expect(quotas.filter(({ exceeded }) => exceeded)).toHaveLength(3)
			const left = quotas.filter(({ exceeded }) => !exceeded).map((quota) => quota.left)
			expect(left.toSorted((one, other) => other - one)).toEqual(left.map((_, index) => most - 1 - index))
		},
	)

	test('every limit with blocks is a multiple of the block size', () => {
		for (const name of all) expect([name, usageLimits[name].member % (blockOf(name) ?? 1)]).toEqual([name, 0])
	})

	test('pages do not include pictures, suggestions and background requests', async () => {
		const { member: most } = usageLimits.pages
		for (const pattern of ['media/*', 'suggest/tags', 'messages/:username/wire', 'notifications/latest'])
			for (let time = 0; time <= most; time += 1) await countPage(member, '192.0.2.1', pattern)
		const [times] = await timesUntilRefused(() => countPage(member, '192.0.2.1', '/forum'), most)
		expect(times).toBe(most)
		for (let time = 0; time <= most; time += 1) await countPage(null, '127.0.0.1', '/find-dev')
	})
})

describe('an undecidable attempt', () => {
	const row = async () =>
		(
			await sql<{ count: number; last_at: string }>`
				select count, last_at::text from attempts where key like 'confirm-identity:%'`.execute(db())
		).rows[0]
	const reserve = () => reserveAttempt([['confirm-identity', 'somebody']])
	beforeEach(() => sql`truncate attempts`.execute(db()))

	test('is taken back with its wait', async () => {
		const some = await Promise.all(Array.from({ length: 5 }, reserve))
		await expect(reserve()).rejects.toThrow(TooManyRequests)
		await sql`update attempts set last_at = now() - interval '2 minutes'`.execute(db())
		const before = await row()
		const refund = await reserve()
		await expect(reserve()).rejects.toThrow(TooManyRequests)
		await refund()
		expect(await row()).toEqual(before)
		// The earlier attempts have another timestamp than the last one now, so their wait remains.
		await Promise.all(some.map((one) => one()))
		expect(await row()).toEqual({ ...before, count: 0 })
	})

	test('does not affect attempts counted meanwhile', async () => {
		const refund = await reserve()
		await reserve()
		const before = await row()
		await refund()
		expect(await row()).toEqual({ ...before, count: 1 })
	})

	test('concurrent attempts cannot exceed the free ones', async () => {
		const all_ = await Promise.allSettled(Array.from({ length: 20 }, reserve))
		expect(all_.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
	})
})

test('of many who log in from one network, none fails because of another one', async () => {
	vi.useRealTimers()
	const [near, wide] = [['login-address', '198.51.100.7'] as const, ['login-network', '198.51.100.0/24'] as const]
	await sql`truncate attempts`.execute(db())
	// As on a site that has run for a while, the table is read from its beginning, where the network is before the address.
	for (const counter of [wide, near]) await countAttempt([counter])
	await sql`analyze attempts`.execute(db())
	let success: Promise<void> = Promise.resolve()
	await countAttempt([near], async (trx) => {
		success = takeBackAttempt([near, wide])
		await eventually(async () => {
			const waiting = sql`select from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock' and query like '%update attempts%'`
			expect((await waiting.execute(db())).rows).toHaveLength(1)
		})
		await sql`update attempts set count = count + 1 where key like 'login-network:%'`.execute(trx)
	})
	await success
	expect(await getAttemptCounts([near, wide])).toEqual([1, 1])
})

describe('what is counted', () => {
	/** Uses up all but one of a member's uses. */
	async function leaveOne(name: UseName): Promise<void> {
		for (let time = 1; time < usageLimits[name].member; time += 1) await countUse(name, member)
	}

	test('views of other profiles, as page and JSON Resume, existing or not, but not one’s own', async () => {
		await leaveOne('profiles')
		await getProfile(member, 'author')
		await expect(getResume(member, 'author')).rejects.toThrow(TooManyRequests)
		await expect(getProfile(member, 'nobody')).rejects.toThrow(TooManyRequests)
		await getProfile(member, member.username.toUpperCase())
		await getResume(member, member.username)
	})

	test('saves of all sections of a profile', async () => {
		await leaveOne('profileSaves')
		await saveSocial(member, member.username, { ...filled.social, version: '1' })
		await expect(addProject(member, member.username, filled.project)).rejects.toThrow(TooManyRequests)
		await expect(saveSocial(member, member.username, { ...filled.social, version: '2' })).rejects.toThrow(
			TooManyRequests,
		)
	})

	test('edits of questions and comments', async () => {
		const { id } = await makeQuestion(member)
		const comment = await makeComment(member, id)
		await leaveOne('edits')
		await editComment(member, comment, { body: 'Another word.' })
		await expect(editComment(member, comment, { body: 'And another.' })).rejects.toThrow(TooManyRequests)
		await expect(
			editQuestion(member, id, { title: 'Another title', description: 'x', tags: 'a', category: 'others' }),
		).rejects.toThrow(TooManyRequests)
	})
})

describe('limits of what a member can store', () => {
	test('200 followed tags, even with concurrent requests', async () => {
		await sql`insert into tags (name) select 'cap-' || n from generate_series(1, ${MAX_FOLLOWED_TAGS + 1}) as n`.execute(
			db(),
		)
		await sql`insert into follows (user_id, tag_id) select ${member.id}, id from tags where name like 'cap-%'
			order by id limit ${MAX_FOLLOWED_TAGS - 1}`.execute(db())
		const places = [MAX_FOLLOWED_TAGS, MAX_FOLLOWED_TAGS + 1].map((number) => ({ tag: `cap-${number}` }))
		const ends = await Promise.allSettled(places.map((place) => setFollowing(member, place, true)))
		expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
		expect(ends.find((end) => end.status === 'rejected')?.reason).toBeInstanceOf(Invalid)
		await setFollowing(member, { tag: 'cap-1' }, true)
		await setFollowing(member, { tag: 'cap-1' }, false)
	})

	test('1,000 blocked members', async () => {
		await makeCrowd(MAX_BLOCKED)
		await sql`insert into blocks (blocker_id, blocked_id) select ${member.id}, id from users where username like 'crowd%'`.execute(
			db(),
		)
		await expect(setBlocked(member, 'author', true)).rejects.toThrow(Invalid)
		await setBlocked(member, 'crowd1', true)
		await setBlocked(member, 'crowd1', false)
		await setBlocked(member, 'author', true)
	})

	test('1,000 muted questions', async () => {
		const { id } = await makeQuestion(author)
		await sql`insert into questions (author_id, category_id, title, description, description_html, excerpt, tags, created_at)
			select author_id, category_id, title, description, description_html, excerpt, '{}', created_at - interval '1 day'
			from questions, generate_series(1, ${MAX_MUTED}) where id = ${id}`.execute(db())
		await sql`insert into muted_subjects (user_id, subject_type, subject_id) select ${member.id}, 'query', id from questions where id > ${id}`.execute(
			db(),
		)
		await expect(muteQuestion(member, id, true)).rejects.toThrow(Invalid)
		await muteQuestion(member, id + 1, true)
		await muteQuestion(member, id + 1, false)
		await muteQuestion(member, id, true)
	})

	test('2,000 bookmarks, even with concurrent requests', async () => {
		const { id } = await makeQuestion(author)
		const more = [await makeQuestion(author), await makeQuestion(author)]
		const most = MAX_BOOKMARKS - 1
		await sql`insert into questions (author_id, category_id, title, description, description_html, excerpt, tags, created_at)
			select author_id, category_id, title, description, description_html, excerpt, '{}', created_at - interval '1 day'
			from questions, generate_series(1, ${most}) where id = ${id}`.execute(db())
		await sql`insert into bookmarks (user_id, question_id)
			select ${member.id}, id from questions where id > ${more[1]?.id ?? 0} order by id limit ${most}`.execute(db())
		const ends = await Promise.allSettled(more.map(({ id }) => saveBookmark(member, { kind: 'query', id })))
		expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
		expect(ends.find((end) => end.status === 'rejected')?.reason).toBeInstanceOf(Invalid)
		const kept = more.filter((_, index) => ends[index]?.status === 'fulfilled')
		for (const { id } of kept) await saveBookmark(member, { kind: 'query', id })
		for (const { id } of kept) await removeBookmark(member, { kind: 'query', id })
		await saveBookmark(member, { kind: 'query', id })
		await expect(restoreBookmark(member, { kind: 'query', id: kept[0]?.id ?? 0 })).rejects.toThrow(Invalid)
	})

	test('200 edits of a text, except for moderators', async () => {
		const { id } = await makeQuestion(author)
		const comment = await makeComment(author, id)
		const most = postLimits.editsMax
		await sql`insert into revisions (question_id, comment_id, editor_id, by_moderator, body)
			select ${id}, ${comment}, ${author.id}, false, 'x' from generate_series(1, ${most})`.execute(db())
		await sql`insert into revisions (question_id, editor_id, by_moderator, title, description, tags, category)
			select ${id}, ${author.id}, false, 'x', 'x', '{}', 'Others' from generate_series(1, ${most})`.execute(db())
		const texts = { title: 'Another title', description: 'x', tags: 'a', category: 'others' }
		await expect(editComment(author, comment, { body: 'Another.' })).rejects.toThrow(Invalid)
		await expect(editQuestion(author, id, texts)).rejects.toThrow(Invalid)
		const moderator = await makeMember('moderator', 'moderator')
		await editComment(moderator, comment, { body: 'Another.' })
		await editQuestion(moderator, id, texts)
	})

	test('100 projects', async () => {
		await sql`insert into profiles (user_id) values (${member.id}) on conflict do nothing`.execute(db())
		await sql`insert into projects (project_id, user_id, project_title)
			select gen_random_uuid(), ${member.id}, 'x' from generate_series(1, ${profileLimits.items})`.execute(db())
		await expect(addProject(member, member.username, filled.project)).rejects.toThrow(Invalid)
	})

	async function makeCrowd(count: number): Promise<void> {
		// In batches: each member is indexed for the people search, and statements have a timeout.
		for (let from = 1; from <= count; from += 100)
			await sql`insert into users (username, name, email)
				select 'crowd' || n, 'Crowd', 'crowd' || n || '@campus.example'
				from generate_series(${from}::int, ${Math.min(count, from + 99)}::int) as n`.execute(db())
	}
})
