import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import '~/features/index.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { decideCase } from './decisions.server.ts'
import { addLogRow } from './log.queries.server.ts'
import { getCase, listCases } from './queue.server.ts'
import { getReportable, reportSubject } from './reports.server.ts'
import { caseChangedError, type ModeratedSubject, registerSubjects, type SubjectType } from './subjects.server.ts'

/*
 * Moderation is independent of other features: here it decides about notes, which exist only in this test. A note has a
 * text and a shelf, can be hidden, and can be moved to another shelf.
 */

useDatabase()

const announced: string[] = []

async function change(trx: Executor, id: number, values: { hidden?: boolean; shelf?: string }): Promise<void> {
	const { hidden = null, shelf = null } = values
	const { numAffectedRows } = await sql`
		update notes set hidden = coalesce(${hidden}, hidden), shelf = coalesce(${shelf}, shelf)
		where id = ${id} and hidden is distinct from ${hidden}`.execute(trx)
	if (numAffectedRows === 0n) throw caseChangedError()
}

const noteSubject: SubjectType = {
	name: 'note',
	label: 'Note',
	prefix: 'Note: ',
	async load(ids) {
		const { rows } = await sql<{ id: number; author_id: number; body: string; hidden: boolean }>`
			select id, author_id, body, hidden from notes where id = any(${ids}::int[])`.execute(db())
		return rows.map(
			({ id, author_id, body, hidden }): ModeratedSubject => ({
				...{ type: 'note', id, title: body, url: `/notes/${id}`, excerpt: body, html: '', fingerprint: '' },
				...{ createdAt: '2026-01-15T09:00:00Z', authorId: author_id, reason: '', locked: false },
				state: hidden ? 'hidden' : 'visible',
				reportable: !hidden,
				acts: hidden ? [] : ['hide', 'merge'],
			}),
		)
	},
	describe: ({ title }, { name }) => `the note “${title}” of ${name}`,
	acts: {
		hide: {
			done: 'The note is hidden.',
			decision: 'hide query',
			async perform(trx, { subject: { id, url, title } }) {
				await change(trx, id, { hidden: true })
				return {
					notification: { subject: { type: 'note', id, title, url }, part: null },
					announce: async () => void announced.push(`hidden ${id}`),
				}
			},
		},
		merge: {
			done: 'The note is moved.',
			decision: 'merge query',
			input: z.object({ shelf: z.string().min(3, 'Name a shelf.') }),
			field: { title: 'Move', name: 'shelf', label: 'Shelf', shortLabel: 'Shelf', hint: '' },
			leavesReports: true,
			async perform(trx, { subject: { id, url, title }, input }) {
				await change(trx, id, { shelf: String(input.shelf) })
				const notification = { subject: { type: 'note', id, title, url }, part: null }
				return { note: `to ${input.shelf}`, notification, announce: async () => {} }
			},
		},
	},
}

let author: SignedIn
let member: SignedIn
let moderator: SignedIn
let admin: SignedIn

beforeAll(async () => {
	await sql`create table notes (id int primary key, author_id int, body text, shelf text default '', hidden boolean default false)`.execute(
		db(),
	)
	// Stands in for a migration of the feature.
	for (const table of ['cases', 'moderation_log'])
		await sql`alter table ${sql.ref(table)} drop constraint if exists ${sql.ref(`${table}_kind_check`)}`.execute(db())
	registerSubjects([noteSubject])
	author = await makeMember('author')
	member = await makeMember('member')
	moderator = await makeMember('moderator', 'moderator')
	admin = await makeMember('admin', 'admin')
	await sql`insert into notes (id, author_id, body) values (7, ${author.id}, 'Buy shoes'), (8, ${author.id}, 'Sell shoes')`.execute(
		db(),
	)
})

const note = { kind: 'note', name: '7' }
const stored = async () => (await sql`select shelf, hidden from notes where id = 7`.execute(db())).rows[0]

test('a feature can add a type: its subjects are reported, listed, decided and logged, and their authors notified', async () => {
	expect(await getReportable(member, note)).toEqual({
		...{ kind: 'note', url: '/notes/7', title: 'the note “Buy shoes” of Author', reported: false },
	})
	expect(await reportSubject(member, note, { reason: 'spam' })).toEqual({ url: '/notes/7' })
	await expect(reportSubject(member, note, { reason: 'spam' })).rejects.toBeInstanceOf(Conflict)
	await expect(reportSubject(author, note, { reason: 'spam' })).rejects.toBeInstanceOf(NotAllowed)
	await expect(reportSubject(member, { kind: 'note', name: '9' }, { reason: 'spam' })).rejects.toBeInstanceOf(NotFound)

	const { rows } = await listCases(moderator, { order: 'newest', cursor: null })
	expect(rows).toMatchObject([
		{
			...{ kind: 'note', id: 7, caseUrl: '/moderation/note/7', url: '/notes/7', label: 'Note', prefix: 'Note: ' },
			...{ author: { username: 'author' }, acts: ['hide', 'merge', 'dismiss', 'suspend'], reportCount: 1 },
			fields: { merge: { name: 'shelf' } },
		},
	])

	const act = (name: string, input: Record<string, unknown>) => decideCase(moderator, { ...note, act: name }, input)
	await expect(act('merge', { why: 'It is old.', shelf: 'x' })).rejects.toMatchObject({
		fields: { shelf: 'Name a shelf.' },
	})
	expect(await act('merge', { why: 'It is old.', shelf: 'archive' })).toBe('The note is moved.')
	expect([await stored(), (await getCase(moderator, note)).reportCount]).toEqual([
		{ shelf: 'archive', hidden: false },
		1,
	])
	await expect(act('hide', {})).rejects.toBeInstanceOf(Invalid)
	await expect(act('lock', { why: 'It is old.' })).rejects.toBeInstanceOf(Conflict)
	expect(await act('hide', { why: 'It sells shoes.' })).toBe('The note is hidden.')
	expect([await stored(), announced]).toEqual([{ shelf: 'archive', hidden: true }, ['hidden 7']])
	await expect(act('hide', { why: 'Again.' })).rejects.toBeInstanceOf(Conflict)

	expect((await listCases(moderator, { order: 'newest', cursor: null })).rows).toEqual([])
	expect((await listLog(admin, { member: 'author', cursor: null })).rows).toMatchObject([
		{ act: 'hide', kind: 'note', title: 'Buy shoes', caseUrl: '/moderation/note/7', why: 'It sells shoes.', note: '' },
		{ act: 'merge', note: 'to archive' },
	])
	const [told] = (await listNotifications(author)).rows
	expect(told).toMatchObject({ title: 'Buy shoes', reason: 'It sells shoes.', url: '/notes/7' })
})

test('an error during an action rolls everything back', async () => {
	const second = { kind: 'note', name: '8' }
	await reportSubject(member, second, { reason: 'spam' })
	await sql`update notes set hidden = true where id = 8`.execute(db())
	const seen: SubjectType = {
		...noteSubject,
		load: async (ids) => (await noteSubject.load(ids)).map((one) => ({ ...one, acts: ['hide'] })),
	}
	registerSubjects([seen])
	await expect(decideCase(moderator, { ...second, act: 'hide' }, { why: 'Late.' })).rejects.toBeInstanceOf(Conflict)
	expect((await getCase(moderator, second)).reportCount).toBe(1)
	expect(announced).toEqual(['hidden 7'])
})

test('the log of a name that nobody has is empty, not that of former members', async () => {
	const about = { kind: 'profile', targetId: 1, memberId: FORMER_MEMBER, title: '' }
	await addLogRow(db(), { actorId: admin.id, act: 'suspend', ...about })
	expect((await listLog(admin, { member: 'nobdy', cursor: null })).rows).toEqual([])
	expect((await listLog(admin, { member: '', cursor: null })).rows[0]?.act).toBe('suspend')
})
