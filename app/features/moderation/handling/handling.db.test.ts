import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { countUnread, listNotifications } from '~/features/notifications/notifications.server.ts'
import { getPreferences, setPreferences } from '~/features/notifications/preferences.server.ts'
import { leave } from '~/features/privacy/leaving/leaving.server.ts'
import { Conflict, Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { JobHandlers } from '~/platform/jobs/jobs.server.ts'
import { io } from '~/platform/realtime/io.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import { cast, decide, named, spam, useCast } from '../../../../tests/support/moderation-cast.ts'
import { closeCase } from '../cases.queries.server.ts'
import { setModeratorRole } from '../members.server.ts'
import { moderation } from '../moderation.feature.server.ts'
import { getCase, listCases } from '../queue.server.ts'
import { reportSubject } from '../reports.server.ts'
import { deleteOldNotes } from './handling.queries.server.ts'
import { addNote, assignCase, notifyModerators } from './handling.server.ts'

useDatabase()
useCast()

let second: SignedIn

beforeAll(async () => {
	second = await makeMember('second', 'moderator')
})

const ofQuery = () => named('query', cast.query)
const assign = (viewer: SignedIn, assignee: string, assigned?: string) =>
	assignCase(viewer, ofQuery(), { assignee, assigned })

async function handlerOf(viewer = cast.moderator): Promise<string | undefined> {
	return (await getCase(viewer, ofQuery())).assignee?.username
}

/** Runs the queued jobs of moderation, as a worker would. */
async function runJobs(): Promise<void> {
	const { rows } = await sql<{ name: keyof JobHandlers; payload: never }>`
		delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task
		where task.id = job.task_id returning task.identifier as name, payload`.execute(db())
	for (const { name, payload } of rows) await moderation.jobs?.[name]?.(payload)
}

async function told(kind: string): Promise<{ username: string; title: string; count: number }[]> {
	const { rows } = await sql<{ username: string; title: string; count: number }>`
		select username, title, count from notifications join users on users.id = user_id where kind = ${kind} order by username`.execute(
		db(),
	)
	return rows
}

describe('a case', () => {
	test('is assigned and reassigned; the assignee is notified, and an outdated form gets a conflict', async () => {
		await reportSubject(cast.member, ofQuery(), spam)
		expect(await assign(cast.moderator, 'moderator', '')).toBe('The case is now assigned to you.')
		expect(await told('case-assigned')).toEqual([])
		await expect(assign(second, 'second', '')).rejects.toThrow('This case was assigned to Moderator meanwhile.')
		expect(await assign(cast.moderator, '@Second', 'moderator')).toBe('Second handles this case now.')
		expect(await told('case-assigned')).toEqual([{ username: 'second', title: 'a case about a query', count: 1 }])
		const list = async (viewer: SignedIn, handler: 'mine' | 'none') =>
			(await listCases(viewer, { order: 'newest', handler, cursor: null })).rows.map(({ id }) => id)
		expect(await list(second, 'mine')).toEqual([cast.query])
		expect(await list(cast.moderator, 'mine')).toEqual([])
		expect(await list(cast.moderator, 'none')).not.toContain(cast.query)
		await decide(cast.moderator, 'query', cast.query, 'dismiss')
		expect(await list(second, 'mine')).toEqual([])
		await expect(assign(second, 'second')).rejects.toThrow(Conflict)
	})

	test('is assigned to one of two concurrent moderators', async () => {
		await reportSubject(cast.member, ofQuery(), spam)
		const outcomes = await Promise.allSettled([
			assign(cast.moderator, 'moderator', ''),
			assign(second, 'second', ''),
			assign(second, 'moderator', ''),
			assign(cast.moderator, 'second', ''),
		])
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).not.toHaveLength(0)
		for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Conflict)
		expect(['moderator', 'second']).toContain(await handlerOf())
	})

	test.each(['author', 'nobody', 'x'.repeat(101)])('is not assigned to %s', async (name) => {
		await reportSubject(cast.member, ofQuery(), spam)
		await expect(assign(cast.moderator, name)).rejects.toThrow(Invalid)
	})

	test('is unassigned when its moderator loses the role', async () => {
		await reportSubject(cast.member, ofQuery(), spam)
		await assign(cast.moderator, 'second')
		await setModeratorRole(cast.admin, 'second', 'member')
		expect(await handlerOf()).toBeUndefined()
		await setModeratorRole(cast.admin, 'second', 'moderator')
	})

	test('is unassigned when its moderator leaves the site', async () => {
		const leaver = await makeMember('leaver', 'moderator')
		await reportSubject(cast.member, ofQuery(), spam)
		await assign(cast.moderator, 'leaver')
		await leave(leaver, { texts: 'keep' })
		expect(await handlerOf()).toBeUndefined()
	})

	test('is offered to moderators who are neither suspended nor leaving', async () => {
		await reportSubject(cast.member, ofQuery(), spam)
		const offered = async () => (await getCase(cast.moderator, ofQuery())).staff.map(({ username }) => username)
		expect(await offered()).toEqual(['admin', 'moderator', 'second'])
		await decide(cast.admin, 'profile', 'second', 'suspend', { time: '1 day' })
		expect(await offered()).toEqual(['admin', 'moderator'])
		await decide(cast.admin, 'profile', 'second', 'lift')
		expect(await offered()).toContain('second')
	})

	test('has notes with author and time, which members cannot write, and which are deleted some time after the decision', async () => {
		await expect(addNote(cast.member, ofQuery(), { note: 'Mine.' })).rejects.toThrow(NotAllowed)
		await expect(addNote(second, ofQuery(), { note: '  ' })).rejects.toThrow(Invalid)
		await addNote(second, ofQuery(), { note: 'I wrote to them.' })
		await addNote(cast.moderator, ofQuery(), { note: 'They answered.' })
		const entry = await getCase(cast.admin, ofQuery())
		expect(entry.isOpen).toBe(false)
		expect(entry.notes.map(({ author, body }) => [author.username, body])).toEqual([
			['second', 'I wrote to them.'],
			['moderator', 'They answered.'],
		])
		expect(await deleteOldNotes(30, 10)).toBe(0)
		await sql`update cases set closed_at = now() - interval '31 days'`.execute(db())
		await sql`update case_notes set created_at = now() - interval '31 days' where body like 'I%'`.execute(db())
		expect(await deleteOldNotes(30, 10)).toBe(1)
	})
})

describe('notifications of new reports', () => {
	beforeEach(() => sql`update reports set created_at = now() - interval '2 hours'`.execute(db()))

	test('are sent once per burst, and only to the assignee, if there is one', async () => {
		await sql`delete from notifications`.execute(db())
		const reporter = await makeMember('eager', 'moderator')
		await reportSubject(reporter, ofQuery(), spam)
		const { caseId } = await getCase(cast.moderator, ofQuery())
		const news = { caseId, actorId: reporter.id }
		for (const _time of [1, 2, 3]) await notifyModerators(news)
		const once = { title: 'the moderation queue', count: 1 }
		const all = ['admin', 'moderator', 'second'].map((username) => ({ username, ...once }))
		expect(await told('case-report')).toEqual(all)
		await sql`update notifications set updated_at = now() - interval '2 hours'`.execute(db())
		await assign(second, 'second')
		await notifyModerators(news)
		expect(await told('case-report')).toEqual(
			all.map((row) => (row.username === 'second' ? { ...row, count: 2 } : row)),
		)
		await decide(second, 'query', cast.query, 'dismiss')
		await sql`delete from notifications`.execute(db())
		await notifyModerators(news)
		expect(await told('case-report')).toEqual([])
	})

	test('are sent again to who has seen the last one, whose mail would not come any more', async () => {
		await sql`delete from notifications`.execute(db())
		await reportSubject(cast.member, ofQuery(), spam)
		const { caseId } = await getCase(cast.moderator, ofQuery())
		const news = { caseId, actorId: cast.member.id }
		await notifyModerators(news)
		await listNotifications(second)
		await notifyModerators(news)
		const again = (await told('case-report')).filter(({ count }) => count === 2)
		expect(again.map(({ username }) => username)).toEqual(['second'])
	})

	test('are removed once their case is decided, and of the queue once it is empty', async () => {
		await sql`delete from notifications`.execute(db())
		await sql`update notification_boxes set unread = 0`.execute(db())
		await sql`update cases set closed_at = now(), assignee_id = null`.execute(db())
		await sql`delete from graphile_worker._private_jobs`.execute(db())
		await reportSubject(cast.member, ofQuery(), spam)
		await reportSubject(cast.member, named('comment', cast.comment), spam)
		await assign(cast.moderator, 'second')
		await runJobs()
		expect(await countUnread(second)).toBe(2)
		await decide(cast.moderator, 'query', cast.query, 'dismiss')
		await runJobs()
		expect((await listNotifications(second)).rows.map(({ title }) => title)).toEqual(['the moderation queue'])
		await decide(cast.moderator, 'comment', cast.comment, 'hide')
		await runJobs()
		expect([await countUnread(second), await countUnread(cast.admin)]).toEqual([0, 0])
	})

	test('are removed from who loses the role before reading them', async () => {
		const former = await makeMember('dismissed', 'moderator')
		await reportSubject(cast.member, ofQuery(), spam)
		const { caseId } = await getCase(cast.moderator, ofQuery())
		await notifyModerators({ caseId, actorId: cast.member.id })
		await assign(cast.moderator, 'dismissed')
		expect(await countUnread(former)).toBe(2)
		const sent = vi.spyOn(io, 'to')
		await setModeratorRole(cast.admin, 'dismissed', 'member')
		expect([await countUnread(former), (await listNotifications(former)).rows]).toEqual([0, []])
		expect(sent.mock.calls).toEqual([[`user:${former.id}`]])
		sent.mockRestore()
	})

	test('do not reach moderators who cannot decide: those who are suspended or leaving', async () => {
		await sql`delete from notifications`.execute(db())
		for (const [name, state] of [
			['silenced', sql`suspended_until = now() + interval '1 day'`],
			['parting', sql`leaves_at = now() + interval '9 days'`],
		] as const) {
			const { id } = await makeMember(name, 'moderator')
			await sql`update users set ${state} where id = ${id}`.execute(db())
		}
		await reportSubject(cast.member, ofQuery(), spam)
		const { caseId } = await getCase(cast.moderator, ofQuery())
		await notifyModerators({ caseId, actorId: cast.member.id })
		const names = (await told('case-report')).map(({ username }) => username)
		expect(names).toContain('moderator')
		expect(names.filter((name) => ['silenced', 'parting'].includes(name))).toEqual([])
	})

	test('reach nobody where the case is being decided', async () => {
		await sql`delete from notifications`.execute(db())
		await reportSubject(cast.member, ofQuery(), spam)
		const { caseId } = await getCase(cast.moderator, ofQuery())
		await queuedBehind(
			(trx) => closeCase(trx, 'query', cast.query),
			[() => notifyModerators({ caseId, actorId: cast.member.id })],
		)
		expect(await told('case-report')).toEqual([])
	})

	test('have a setting, which only moderators see and change', async () => {
		const kinds = async (viewer: SignedIn) =>
			(await getPreferences(viewer)).kinds.filter(({ kind }) => kind === 'case-report').map(({ mail }) => mail)
		expect(await kinds(cast.member)).toEqual([])
		expect(await kinds(cast.moderator)).toEqual([true])
		await setPreferences(cast.moderator, new Set(['case-report-site']))
		expect(await kinds(cast.moderator)).toEqual([false])
	})

	test('keep their setting when a form from before their appointment is saved, or one as a member', async () => {
		const { id, username } = await makeMember('promoted')
		const as = (role: SignedIn['role']): SignedIn => ({ ...cast.member, id, username, role })
		const shown = async (role: SignedIn['role']) => (await getPreferences(as(role))).kinds.map(({ kind }) => kind)
		const channels = async () =>
			(await getPreferences(as('moderator'))).kinds.find(({ kind }) => kind === 'case-report')
		const before = await shown('member')
		await setPreferences(as('moderator'), new Set(['daily', 'reply-site']), before)
		expect(await channels()).toMatchObject({ site: true, mail: true, push: true })
		await setPreferences(as('moderator'), new Set(['case-report-site']), await shown('moderator'))
		await setPreferences(as('member'), new Set(['daily']), before)
		expect(await channels()).toMatchObject({ site: true, mail: false, push: false })
	})
})
