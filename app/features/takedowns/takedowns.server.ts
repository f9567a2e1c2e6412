import { z } from 'zod'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import { releaseCases } from '~/features/moderation/handling/handling.queries.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import {
	findModeratedMember,
	liftSuspension,
	lockAccountStatus,
	type ModeratedMemberRow,
	suspendMember,
} from '~/features/moderation/members.queries.server.ts'
import { lockModerator, requireModerator } from '~/features/moderation/members.server.ts'
import {
	MEMBER_SUBJECT,
	maySuspend,
	type SuspensionDuration,
	suspensionDurations,
} from '~/features/moderation/moderation.policy.ts'
import { whyInput } from '~/features/moderation/moderation.schema.ts'
import { announceUnread, notifyOfDecision } from '~/features/notifications/notifications.server.ts'
import { listHidden } from '~/features/profiles/hiding.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions, endAllAccess } from '~/features/sessions/sessions.server.ts'
import { profilePath } from '~/lib/addresses.ts'
import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { continueTakedown } from './hiding.server.ts'
import {
	beginUndo,
	countPublished,
	findTakedown,
	insertTakedown,
	listTakedowns,
	type PastTakedownRow,
	recordSuspension,
} from './takedowns.queries.server.ts'
import {
	describeCounts,
	type ItemCounts,
	type LabelledCount,
	labelledCounts,
	type Period,
	periods,
	type TakedownView,
} from './takedowns.view.ts'

/*
 * Takedowns: hide a wave of spam in one action, everything that an account published since a time. A short transaction records the
 * takedown; the hiding follows in small ones, within seconds or by a job.
 */

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Continues a takedown, or its undoing. */
		'take-down': { id: number }
	}
}

/** Takedowns shown on the page of a member. */
const MAX_SHOWN = 20
/** Milliseconds that a request works on takedowns before it leaves the rest to a job. */
export const AT_ONCE_MS = 2_000
/** Seconds after which a job checks for a rest. */
const JOB_AFTER = 3

export interface TakedownPage {
	member: { username: string; name: string; image: string | null }
	/** The start of the chosen period; '' for everything. */
	from: string
	period: Period
	amounts: LabelledCount[]
	past: TakedownView[]
	/** Whether one is in progress. */
	isRunning: boolean
}

/** What a takedown of an account would hide, and past ones. @throws NotAllowed, NotFound */
export async function getTakedownPage(viewer: Viewer, username: string, sent: string | null): Promise<TakedownPage> {
	const member = await requireGoverned(viewer, username)
	const { period, from } = periodOf(sent)
	const [counts, past] = await Promise.all([countHideable([member.id], from), listTakedowns(member.id, MAX_SHOWN)])
	return {
		member: { username: member.username, name: member.name, image: member.image },
		period,
		from: from ?? '',
		amounts: labelledCounts(counts.get(member.id) ?? {}),
		past: past.map(presentTakedown),
		isRunning: past.some(({ state }) => state === 'running' || state === 'undoing'),
	}
}

/** What a takedown of each of these accounts would hide. @param from the start of the period; null for everything */
export async function countHideable(memberIds: number[], from: string | null): Promise<Map<number, ItemCounts>> {
	const [published, hidden] = await Promise.all([countPublished(memberIds, from), listHidden(memberIds)])
	return new Map([...published].map(([id, counts]) => [id, { ...counts, profile: hidden.includes(id) ? 0 : 1 }]))
}

const lengths: Record<Exclude<Period, 'all'>, number> = {
	'1 hour': 1,
	'1 day': 24,
	'1 week': 7 * 24,
	'1 month': 30 * 24,
}

/** A period as an address names it, and its start; null for everything. */
export function periodOf(sent: string | null): { period: Period; from: string | null } {
	const period = periods.find((one) => one === sent) ?? 'all'
	return { period, from: period === 'all' ? null : new Date(Date.now() - lengths[period] * 3_600_000).toISOString() }
}

/** What a takedown is given: why, its period, and for how long to suspend. */
export const takedownInput = whyInput.extend({
	from: z.union([z.literal(''), z.iso.datetime('Choose a period again.')], { error: 'Choose a period again.' }),
	time: z.enum(['', ...suspensionDurations], { error: 'Choose whether to suspend them.' }),
})

/**
 * Hides everything that an account has published since a time, and optionally suspends it, unless it is suspended for longer. Later posts
 * are not affected.
 * @param input `why`; `from`: ISO 8601, '' for everything; `time`: length of the suspension, '' for none
 * @returns a sentence about the result
 * @throws NotAllowed, NotFound, Invalid; Conflict while another takedown of this member is in progress
 */
export async function takeDown(viewer: Viewer, username: string, input: Input): Promise<string> {
	const actor = requireModerator(viewer)
	const words = parseInput(takedownInput, input)
	await requireMayWrite(actor.id)
	await countUse('toggles', actor)
	const member = await requireGoverned(actor, username)
	const id = await beginTakedown(actor, member, words)
	return (await resultOf(id, member)) ?? 'It is being hidden. This may take some minutes.'
}

/**
 * Records a takedown and suspends the account, in one transaction; a job hides everything unless {@link continueTakedown} does first.
 * @param words.note what else the log says
 * @returns its id
 * @throws NotAllowed, NotFound; Conflict while another takedown of this member is in progress
 */
export async function beginTakedown(
	actor: SignedIn,
	member: ModeratedMemberRow,
	{ why, from, time, note = '' }: z.infer<typeof takedownInput> & { note?: string },
): Promise<number> {
	const { id, isSuspended, notified } = await db()
		.transaction()
		.execute(async (trx) => {
			// Posting locks this row first, so a concurrent post is either committed by now or refused by the suspension.
			await lockGoverned(trx, actor, member)
			const id = await insertTakedown(trx, { memberId: member.id, actorId: actor.id, reason: why, from: from || null })
			if (id === undefined) throw new Conflict('This is already being done. Reload the page in a moment.')
			// A suspension that lasts longer stays as it is, also when this is undone.
			const isSuspended = time !== '' && (await suspendMember(trx, member.id, time, why))
			if (isSuspended) {
				await endAllAccess(trx, member.id)
				await releaseCases(trx, member.id)
				await recordSuspension(trx, id)
				await notifyMember(trx, member, `suspend ${time}`, why)
			}
			const since = from ? `since ${from.slice(0, 16).replace('T', ' ')} UTC` : ''
			const suspended = isSuspended ? `and suspend ${time === 'for ever' ? time : `for ${time}`}` : ''
			await record(trx, actor, member, 'hide everything', {
				why,
				note: [since, suspended, note].filter(Boolean).join(', '),
			})
			await addJob('take-down', { id }, trx, JOB_AFTER)
			return { id, isSuspended, notified: await notifyMember(trx, member, 'hide account', why) }
		})
	await announceUnread(notified)
	if (isSuspended) {
		await announceEndedSessions(member.id, member.username)
		await recordSecurityEvent('suspended', { userId: member.id, detail: { by: actor.id } })
	}
	return id
}

/**
 * Restores what a takedown hid and nobody has changed since, and ends its suspension.
 * @param input `id` of the takedown, `why`
 * @returns as {@link takeDown}
 * @throws NotAllowed, NotFound, Invalid; Conflict if it is undone already, or not complete
 */
export async function undoTakedown(viewer: Viewer, username: string, input: Input): Promise<string> {
	const actor = requireModerator(viewer)
	const { why, id } = parseInput(undoInput, input)
	await requireMayWrite(actor.id)
	await countUse('toggles', actor)
	const member = await requireGoverned(actor, username)
	await beginUndoing(actor, member, { id, why })
	return (await resultOf(id, member)) ?? 'It is being restored. This may take some minutes.'
}

/** Records that a takedown is undone and ends its suspension, as {@link beginTakedown} does the opposite. @throws as {@link undoTakedown} */
export async function beginUndoing(
	actor: SignedIn,
	member: ModeratedMemberRow,
	{ id, why, note = '' }: { id: number; why: string; note?: string },
): Promise<void> {
	const { begun, notified } = await db()
		.transaction()
		.execute(async (trx) => {
			await lockGoverned(trx, actor, member)
			const begun = await beginUndo(trx, id, actor.id)
			if (begun?.memberId !== member.id)
				throw new Conflict('This has already been undone, or is not done yet. Reload the page.')
			if (begun.isSuspendedByIt) {
				await liftSuspension(trx, member.id)
				await notifyMember(trx, member, 'lift', why)
			}
			await record(trx, actor, member, 'undo hiding everything', { why, note })
			await addJob('take-down', { id }, trx, JOB_AFTER)
			return { begun, notified: await notifyMember(trx, member, 'restore account', why) }
		})
	await announceUnread(notified)
	if (begun.isSuspendedByIt) await recordSecurityEvent('restored', { userId: member.id, detail: { by: actor.id } })
}

const undoInput = whyInput.extend({ id: z.coerce.number().int().min(1).max(2_147_483_647) })

/** Works on a takedown for a moment. @returns a sentence about the result; undefined if a job has to continue */
async function resultOf(id: number, { id: memberId }: ModeratedMemberRow): Promise<string | undefined> {
	await continueTakedown({ id }, AT_ONCE_MS)
	const row = (await listTakedowns(memberId, MAX_SHOWN)).find((one) => one.id === id)
	if (!row || row.state === 'running' || row.state === 'undoing') return undefined
	const { hidden, restored, state } = presentTakedown(row)
	return state === 'done' ? `Hidden: ${hidden}.` : `Restored: ${restored}.`
}

/** Finds a member whom this viewer may moderate. @throws NotAllowed, NotFound */
async function requireGoverned(viewer: Viewer, username: string): Promise<ModeratedMemberRow> {
	const actor = requireModerator(viewer)
	const found = await findModeratedMember(await resolveUsername(username))
	if (!found) throw new NotFound('There is no such member.')
	if (!maySuspend(actor, found)) throw new NotAllowed(notGovernedMessage)
	return found
}

/** The refusal to moderate a member. */
export const notGovernedMessage = 'You cannot decide about this member. Ask an admin.'

/** Locks the member, then the moderator, and checks permissions again. @throws NotAllowed */
async function lockGoverned(trx: Executor, actor: SignedIn, { id }: ModeratedMemberRow): Promise<void> {
	const locked = await lockAccountStatus(trx, id)
	if (!locked) throw new NotFound('This account no longer exists.')
	if (!maySuspend(await lockModerator(trx, actor), { id, role: locked.role })) throw new NotAllowed(notGovernedMessage)
}

async function record(
	trx: Executor,
	actor: SignedIn,
	{ id, name }: ModeratedMemberRow,
	act: string,
	words: { why: string; note?: string },
): Promise<void> {
	const about = { kind: MEMBER_SUBJECT, targetId: id, memberId: id, title: name }
	await addLogRow(trx, { actorId: actor.id, act, ...about, ...words })
}

/** Notifies the member of a decision. @returns whose counters changed */
function notifyMember(
	trx: Executor,
	{ id, username }: ModeratedMemberRow,
	act: 'hide account' | 'restore account' | 'lift' | `suspend ${SuspensionDuration}`,
	why: string,
): Promise<number[]> {
	const subject = { type: MEMBER_SUBJECT, id, title: '', url: profilePath(username) }
	const group = act.endsWith('account') ? 'takedown' : 'account'
	return notifyOfDecision(trx, { memberId: id, act, why, subject, part: null, group })
}

/** Works on a takedown until it is complete. */
export async function finishTakedown({ id }: { id: number }): Promise<void> {
	if (await findTakedown(id)) await continueTakedown({ id })
}

function presentTakedown(row: PastTakedownRow): TakedownView {
	const { id, at, actor, reason, posted_from: from, suspended, state, so_far: soFar } = row
	const of = (place: 0 | 1) =>
		describeCounts(
			Object.fromEntries(Object.entries(row.counts).map(([kind, counts]) => [kind, counts[place]])) as ItemCounts,
		)
	return {
		id,
		at,
		actor,
		reason,
		from,
		suspended,
		state,
		soFar,
		hidden: of(0),
		restored: state === 'undone' ? of(1) : '',
	}
}
