import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import { announceUnread, notifyOfFact, visitSubject } from '~/features/notifications/notifications.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Conflict, Invalid, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { addLogRow } from '../log.queries.server.ts'
import { findModeratedMember, lockRoles } from '../members.queries.server.ts'
import { lockModerator, requireModerator } from '../members.server.ts'
import { assignInput, noteInput } from '../moderation.schema.ts'
import { caseUrl } from '../moderation.view.ts'
import { findSubject, type SubjectName, type SubjectWithCase } from '../subjects.server.ts'
import { insertNote, listToNotify, lockCase, removeHandled, writeAssignee } from './handling.queries.server.ts'

/* How moderators share the work: assigning cases, notes for each other, and notifications of new cases. */

/**
 * Assigns a case to a moderator, who is notified, or to nobody.
 * @param input `assignee`: a username, '' for nobody; `assigned`: the assignee when the form was made, '' for nobody
 * @returns a sentence that says what was done
 * @throws NotAllowed, NotFound, Invalid; Conflict when it was decided or assigned in the meantime
 */
export async function assignCase(viewer: Viewer, name: SubjectName, input: Input): Promise<string> {
	const actor = requireModerator(viewer)
	const { assignee, assigned } = parseInput(assignInput, input)
	const found = await requireSubject(actor, name)
	const chosen = assignee === '' ? null : await findModeratedMember(await resolveUsername(assignee))
	if (chosen === undefined) throw new Invalid(noModerator, { assignee: noModerator })
	await changeNotifications(async (trx) => {
		const roles = await lockRoles(trx, chosen ? [actor.id, chosen.id] : [actor.id])
		await lockModerator(trx, actor)
		if (chosen && (roles.get(chosen.id) ?? 'member') === 'member')
			throw new Invalid(noModerator, { assignee: noModerator })
		const locked = await lockCase(trx, found.type.name, found.subject.id)
		if (!locked?.open) throw new Conflict('This case is decided. There is nothing left to assign.')
		const holder = locked.assignee?.username ?? ''
		if (assigned !== undefined && assigned !== holder) throw new Conflict(assignedMeanwhile(locked.assignee?.name))
		if (holder === (chosen?.username ?? '')) return []
		await writeAssignee(trx, locked.id, chosen?.id ?? null)
		if (locked.assignee) await addJob('forget-handled', { caseIds: [locked.id] }, trx)
		await log(trx, actor, found, chosen ? 'assign' : 'unassign', chosen ? `to @${chosen.username}` : '')
		return chosen && chosen.id !== actor.id ? tellAssignee(trx, actor, found, locked.id, chosen.id) : []
	})
	if (!chosen) return 'The case is no longer assigned.'
	return chosen.id === actor.id ? 'The case is now assigned to you.' : `${chosen.name} handles this case now.`
}

const noModerator = 'Choose a moderator or an admin who is not suspended.'

function assignedMeanwhile(name: string | undefined): string {
	return name === undefined
		? 'Somebody has unassigned this case in the meantime. Check it again.'
		: `This case was assigned to ${name} meanwhile. Look at it again.`
}

/** The title names nobody: it stays in the list of notifications when the subject is erased. */
function tellAssignee(trx: Executor, actor: SignedIn, found: SubjectWithCase, id: number, to: number) {
	const { type, subject, author } = found
	const about = {
		type: CASE_SUBJECT,
		id,
		title: `a case about a ${type.label.toLowerCase()}`,
		url: caseUrl(type.name, subject.id, author.username),
	}
	const fact = { kind: 'case-assigned', memberIds: [to], group: `${id}`, actorId: actor.id } as const
	return notifyOfFact(trx, { ...fact, subject: about, part: null })
}

/**
 * Adds a note for other moderators to a case. Members never see it.
 * @param input `note`
 * @throws NotAllowed, NotFound, Invalid
 */
export async function addNote(viewer: Viewer, name: SubjectName, input: Input): Promise<void> {
	const actor = requireModerator(viewer)
	const { note } = parseInput(noteInput, input)
	const found = await requireSubject(actor, name)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockModerator(trx, actor)
			await insertNote(trx, { kind: found.type.name, targetId: found.subject.id, authorId: actor.id, body: note })
			await log(trx, actor, found, 'note')
		})
}

async function requireSubject(actor: SignedIn, name: SubjectName): Promise<SubjectWithCase> {
	await requireMayWrite(actor.id)
	await countUse('toggles', actor)
	const found = await findSubject(name)
	if (!found) throw new NotFound('There is nothing to decide here.')
	return found
}

async function log(trx: Executor, actor: SignedIn, found: SubjectWithCase, act: string, note = ''): Promise<void> {
	const { type, subject, author } = found
	const about = { kind: type.name, targetId: subject.id, memberId: author.id, title: subject.title }
	await addLogRow(trx, { actorId: actor.id, act, ...about, note })
}

/* Notifications of new cases. */

/** The subject types of a case and of the whole queue. */
export const CASE_SUBJECT = 'case'
export const QUEUE_SUBJECT = { type: 'queue', id: 1 } as const

interface NewsOfCase {
	caseId: number
	/** Who reported or posted it, and is not notified. */
	actorId: number
}

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Notifies moderators of something in the queue. */
		'tell-moderators': NewsOfCase
		/** Removes notifications of cases that are closed or reassigned; apart from decisions, as many boxes are locked. */
		'forget-handled': { caseIds: number[] }
	}
}

/** Queues notifications of a report or a pending post, to be sent after this transaction. */
export function queueModeratorNotification(trx: Executor, news: NewsOfCase): Promise<void> {
	return addJob('tell-moderators', news, trx)
}

/** A moderator opens the queue, or one case: marks notifications of it as read. Prefetching counts as well. */
export async function visitQueue(viewer: SignedIn, caseId?: number): Promise<void> {
	await visitSubject(viewer, caseId === undefined ? QUEUE_SUBJECT : { type: CASE_SUBJECT, id: caseId })
}

/** Notifies moderators of new cases: once per burst, not per report. */
export function notifyModerators({ caseId, actorId }: NewsOfCase): Promise<void> {
	const subject = { ...QUEUE_SUBJECT, title: 'the moderation queue', url: '/moderation' }
	return changeNotifications(async (trx) => {
		const memberIds = await listToNotify(trx, caseId, actorId)
		return notifyOfFact(trx, { kind: 'case-report', memberIds, group: 'queue', inBursts: true, subject, part: null })
	})
}

/** Removes notifications of cases that are closed or reassigned, unless their reader still handles the case. */
export function forgetHandled({ caseIds }: { caseIds: number[] }): Promise<void> {
	return changeNotifications((trx) => removeHandled(trx, caseIds))
}

async function changeNotifications(change: (trx: Executor) => Promise<number[]>): Promise<void> {
	await announceUnread(await db().transaction().execute(change))
}
