import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { isLeaving } from '~/features/accounts/accounts.queries.server.ts'
import { saveBookmark, saveBookmarkNote } from '~/features/bookmarks/bookmarks.server.ts'
import { saveSearch } from '~/features/following/searches.server.ts'
import { features } from '~/features/index.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { checkCounters } from '~/platform/db/counters.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, sendMail } from '~/platform/mail/mail.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { findBrokenFigures, makeMessage } from '../../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import { decide } from '../../../../tests/support/moderation-cast.ts'
import { filesWith, plantEverything, rowsWith } from '../../../../tests/support/planted-member.ts'
import { claimUsername } from '../../accounts/accounts.queries.server.ts'
import { deleteDueAccounts, deleteLeaver } from './deletion.server.ts'
import { cancelLeaving, getLeaving, leave } from './leaving.server.ts'

useDatabase()
useJobTables()

/** Occurs in everything that a member writes, and nowhere else. */
const WORD = 'zwyrbelfink'

let peer: SignedIn
let other: SignedIn
let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('oda', 'admin')
	peer = await makeMember('peer')
	other = await makeMember('other')
	await sql`insert into profiles (user_id) select id from users where not imported`.execute(db())
	await sql`update counters set value = 3 where name = 'members'`.execute(db())
})

/** Registers a member with a profile, as the registration does. */
async function join_(username: string): Promise<SignedIn> {
	const member = await makeMember(username)
	await claimUsername(username)
	await sql`insert into profiles (user_id) values (${member.id})`.execute(db())
	await sql`update counters set value = value + 1 where name = 'members'`.execute(db())
	return member
}

/** Lets the 14 days pass, and deletes the account. */
async function depart(member: SignedIn, texts: 'keep' | 'remove' = 'remove'): Promise<void> {
	await leave(member, { texts })
	await sql`update users set leaves_at = now() - interval '1 minute' where id = ${member.id}`.execute(db())
	await deleteLeaver(member.id)
}

const brokenCounters = async () => {
	const before = await sql`select * from counters order by name`.execute(db())
	await checkCounters(features.flatMap(({ counters = [] }) => counters))
	expect((await sql`select * from counters order by name`.execute(db())).rows).toEqual(before.rows)
}

/** Fills every field and table that a member can write to. */
const fillEverything = (member: SignedIn, word = WORD) =>
	plantEverything(member, { peer, other }, { texts: word, own: word, name: `Mira ${word}` })

describe('a leaving member', () => {
	test('sees the consequences, is hidden at once, may come back, and cannot write until then', async () => {
		const lena = await join_('lena')
		await makeComment(lena, (await makeQuestion(other)).id)
		expect((await getLeaving(lena)).holdings).toMatchObject({ questions: 0, comments: 1, builtOn: 0 })
		await expect(leave(lena, {})).rejects.toMatchObject({ fields: { texts: 'Choose what happens to what you wrote.' } })
		await leave(lena, { texts: 'keep' })
		await expect(leave(lena, { texts: 'keep' })).rejects.toThrow('already being deleted')
		await sql`insert into usernames (username, user_id) values ('lena-before', ${lena.id})`.execute(db())
		for (const login of ['LENA@campus.example', 'Lena', 'lena-before']) expect(await isLeaving(login)).toBe(true)
		expect(await isLeaving(other.username)).toBe(false)
		await expect(makeQuestion(lena)).rejects.toThrow('You are leaving')
		await expect(makeMessage(lena, peer)).rejects.toThrow('You are leaving')
		const hidden = await sql`select hidden, listed from shown_profiles where user_id = ${lena.id}`.execute(db())
		expect(hidden.rows).toEqual([{ hidden: true, listed: false }])
		// The 14 days have not passed.
		await deleteLeaver(lena.id)
		await cancelLeaving(lena)
		await expect(cancelLeaving(lena)).rejects.toThrow('not being deleted')
		const shown = await sql`select hidden, listed from shown_profiles where user_id = ${lena.id}`.execute(db())
		expect(shown.rows).toEqual([{ hidden: false, listed: true }])
		await makeQuestion(lena)
	})

	test('is asked about merged queries, too, as everybody can read those', async () => {
		const lars = await join_('lars')
		const [alone, answered] = [await makeQuestion(lars), await makeQuestion(lars)]
		await makeComment(other, answered.id)
		const { url: into } = await makeQuestion(other)
		for (const { id } of [alone, answered]) await decide(admin, 'query', id, 'merge', { into })
		expect((await getLeaving(lars)).holdings).toMatchObject({ questions: 2, builtOn: 1 })
	})

	test('stays hidden when a moderator shows their profile again, and is shown to others once they come back', async () => {
		const nora = await join_('nora')
		await decide(admin, 'profile', 'nora', 'hide')
		await leave(nora, { texts: 'keep' })
		await decide(admin, 'profile', 'nora', 'restore')
		const isHidden = async () => {
			const { rows } = await sql`select hidden from shown_profiles where user_id = ${nora.id}`.execute(db())
			return rows
		}
		expect(await isHidden()).toEqual([{ hidden: true }])
		await expect(decide(admin, 'profile', 'nora', 'restore')).rejects.toMatchObject({ status: 409 })
		await cancelLeaving(nora)
		expect(await isHidden()).toEqual([{ hidden: false }])
	})

	test('is never the last admin', async () => {
		await expect(leave(admin, { texts: 'keep' })).rejects.toThrow('The only admin cannot leave')
		const [one, two] = [await join_('one'), await join_('two')]
		await sql`update users set role = 'admin' where id in (${one.id}, ${two.id})`.execute(db())
		const done = await Promise.allSettled([admin, one, two].map((each) => leave(each, { texts: 'keep' })))
		expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
		for (const each of [admin, one, two]) await cancelLeaving(each).catch(() => {})
		await sql`update users set role = 'member' where id in (${one.id}, ${two.id})`.execute(db())
	})

	test('comes back or is deleted, never both', async () => {
		const rolf = await join_('rolf')
		await leave(rolf, { texts: 'keep' })
		await sql`update users set leaves_at = now() where id = ${rolf.id}`.execute(db())
		const [back] = await Promise.allSettled([cancelLeaving(rolf), deleteLeaver(rolf.id)])
		const { rows } = await sql`select from users where id = ${rolf.id}`.execute(db())
		expect(rows).toHaveLength(back.status === 'fulfilled' ? 1 : 0)
	})

	test('keeps texts under “Former member” on request', async () => {
		const ilse = await join_('ilse')
		const { id } = await makeQuestion(ilse, { title: 'What stays when somebody goes' })
		const comment = await makeComment(ilse, id, 'This stays.')
		await depart(ilse, 'keep')
		const { rows } = await sql`
			select (select author_id from questions where id = ${id}) as asked, (select author_id from comments where id = ${comment}) as said`.execute(
			db(),
		)
		expect(rows).toEqual([{ asked: FORMER_MEMBER, said: FORMER_MEMBER }])
		await brokenCounters()
	})

	test('can be deleted in SQL alone, whatever they wrote', async () => {
		const sven = await join_('sven')
		await fillEverything(sven, 'ornbaskel')
		await sql`delete from users where id = ${sven.id}`.execute(db())
		expect((await sql`select from users where username = 'sven'`.execute(db())).rows).toEqual([])
	})

	test('leaves nothing behind: no word, name, address or picture', async () => {
		const member = await join_(`m-${WORD}`)
		const { comments } = await fillEverything(member)
		expect((await rowsWith([WORD])).length).toBeGreaterThan(40)
		await sql`select 1`.execute(db())
		await depart(member)
		const names = [WORD, member.username]
		expect(await rowsWith(names)).toEqual([])
		expect(filesWith(names)).toEqual([])
		// The solution and the other member's conversation remain.
		const { rows } = await sql<{ author_id: number; is_solution: boolean }>`
			select author_id, is_solution from comments where id = ${comments[0]}`.execute(db())
		expect(rows).toEqual([{ author_id: FORMER_MEMBER, is_solution: true }])
		const inbox = await sql`
			select u.name, u.imported, m.body from messages m join users u on u.id = m.sender_id
			where m.recipient_id = ${peer.id} and u.former and m.body <> '' order by m.id limit 1`.execute(db())
		expect(inbox.rows).toEqual([{ name: 'Former member', imported: true, body: 'A word for you.' }])
		expect(await findBrokenFigures()).toEqual([])
		await brokenCounters()
		expect(await claimUsername(member.username)).toBe(false)
	})

	test('is removed from mentions by others, within length limits; members with similar names are not', async () => {
		const ab = await join_('ab')
		const { id } = await makeQuestion(other)
		const long = `${'x'.repeat(494)} @ab @`
		await saveBookmark(peer, { kind: 'query', id })
		await saveBookmarkNote(peer, { kind: 'query', id }, { note: long })
		for (const query of ['user:ab', 'user:abc', 'mentions @ab.c'])
			await saveSearch(peer, { kind: 'queries', query, name: query })
		const { id: message } = await makeMessage(
			peer,
			other,
			'See /find-dev/ab.json, /forum/others/ab/7/how-to-swim#comment-9, https://elsewhere.example/ab/9, /moderation/profile/ab, @ab, @abc, @abé and ab.',
		)
		await depart(ab)
		const { rows } = await sql<{ note: string; body: string; searches: string[] }>`
			select (select note from bookmarks where user_id = ${peer.id} and question_id = ${id}) as note,
				(select body from messages where id = ${message}) as body,
				(select array_agg(query order by id) from saved_searches where user_id = ${peer.id}) as searches`.execute(db())
		expect(rows).toEqual([
			{
				note: `${'x'.repeat(494)} @form`,
				body: 'See /find-dev/former-member.json, /forum/others/former-member/7#comment-9, https://elsewhere.example/ab/9, /moderation/profile/former-member, @former-member, @abc, @abé and ab.',
				searches: ['user:abc', 'mentions @ab.c'],
			},
		])
	})

	test('changes neither lists nor links in posts of others, whatever the username', async () => {
		const li = await join_('li')
		const description = '- See [this](https://elsewhere.example/li).\n- Ask [them](/find-dev/li).'
		const { id } = await makeQuestion(other, { description })
		const htmlOf = async () => {
			const { rows } = await sql<{
				html: string
			}>`select description_html as html from questions where id = ${id}`.execute(db())
			return rows[0]?.html ?? ''
		}
		const before = await htmlOf()
		expect(before).toContain('</li>')
		await depart(li)
		expect(await htmlOf()).toBe(before.replace('/find-dev/li', '/find-dev/former-member'))
	})

	test('removes no mails of others whose names or addresses merely contain theirs', async () => {
		const [ann, campus] = [await join_('ann'), await join_('campus')]
		const link = { label: 'See', url: 'http://localhost:3000/find-dev/annabel' }
		const kept = linkMail('joann@campus.example', 'for joann', 'By @annabel.', link, 'Ann leaves it alone.')
		const removed = linkMail('peer@campus.example', 'about ann', 'Write to\nANN@campus.example.', link, 'Or do not.')
		for (const mail of [kept, removed]) {
			await addJob('send-mail', mail)
			await sendMail(mail)
		}
		for (const leaver of [ann, campus]) await depart(leaver)
		const queued = await sql<{ subject: string }>`
			select payload ->> 'subject' as subject from graphile_worker._private_jobs
			where payload ->> 'subject' in (${kept.subject}, ${removed.subject})`.execute(db())
		expect(queued.rows).toEqual([{ subject: kept.subject }])
		expect(filesWith([kept.subject])).toHaveLength(1)
		expect(filesWith([removed.subject])).toEqual([])
	})

	test('usernames of members who left before hashing was introduced are hashed now, and stay taken', async () => {
		await sql`insert into usernames (username, claimed_at) values
			('old-hand', now() - interval '1 year'), ('just-now', now())`.execute(db())
		await sql.raw(readFileSync('migrations/0110_usernames_without_owner.sql', 'utf8')).execute(db())
		const { rows } = await sql`select username from usernames where username in ('old-hand', 'just-now')`.execute(db())
		expect(rows).toEqual([{ username: 'just-now' }])
		expect(await claimUsername('old-hand')).toBe(false)
	})

	test('is deleted by the hourly job, which resumes after a crash', async () => {
		const tom = await join_('tom')
		await makeQuestion(tom)
		await leave(tom, { texts: 'remove' })
		await sql`update users set leaves_at = now() - interval '1 minute' where id = ${tom.id}`.execute(db())
		await sql`update departures set begun_at = now() where user_id = ${tom.id}`.execute(db())
		await expect(cancelLeaving(tom)).rejects.toThrow('too late')
		await deleteDueAccounts()
		const jobs = await sql<{ payload: { userId: number } }>`
			select payload from graphile_worker._private_jobs where payload ->> 'userId' = ${String(tom.id)}`.execute(db())
		expect(jobs.rows).toHaveLength(1)
		await deleteLeaver(tom.id)
		await deleteLeaver(tom.id)
		expect((await sql`select from users where id = ${tom.id}`.execute(db())).rows).toEqual([])
	})
})
