import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { announceUnread, notifyOfDecision } from '~/features/notifications/notifications.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { closeCase } from './cases.queries.server.ts'
import { lockCase } from './handling/handling.queries.server.ts'
import { addLogRow } from './log.queries.server.ts'
import { lockModerator, requireModerator, suspendAuthor } from './members.server.ts'
import { MEMBER_SUBJECT, maySuspend, type SubjectAct, type SubjectPart, subjectActs } from './moderation.policy.ts'
import { dismissInput, reasonInput } from './moderation.schema.ts'
import {
	type ActHandler,
	type ActInput,
	caseChangedError,
	findSubject,
	type ModeratedSubject,
	memberIdOf,
	type SubjectName,
	type SubjectWithCase,
} from './subjects.server.ts'

/** What a moderator reads after an action that all subjects share. */
const done = {
	dismiss: 'The reports are dismissed.',
	suspend: 'Suspended.',
	lift: 'The suspension is lifted.',
} as const

/**
 * Decides about a subject, reported or not. One transaction: the subject, its case and the log.
 * @param input `why`; `time` for a suspension, an action's own field; `seen`: the fingerprint of the text that the moderator read;
 * `active`: when the last report was made that they read; `state`: the one that they saw, for `restore`
 * @returns a sentence that says what was done
 * @throws NotAllowed, NotFound, Invalid, Conflict when the subject has changed since
 */
export async function decideCase(
	viewer: Viewer,
	{ act, ...name }: SubjectName & { act: string },
	input: Record<string, unknown>,
): Promise<string> {
	const actor = requireModerator(viewer)
	await requireMayWrite(actor.id)
	const found = await findSubject(name)
	if (!found) throw new NotFound('There is nothing to decide here.')
	if (isSubjectAct(act)) return decideSubject(actor, found, act, input)
	if ((act === 'suspend' || act === 'lift') && found.author.pseudonym_of !== null)
		throw new Invalid('Unmask the author first. Then suspend them on the moderation page of their profile.')
	if (act === 'suspend' || act === 'lift') await suspendAuthor(actor, found, act, input)
	else if (act === 'dismiss') await dismiss(actor, found, input)
	else throw new Invalid('Choose what to do.')
	return done[act]
}

function isSubjectAct(act: string): act is SubjectAct {
	return subjectActs.some((name) => name === act)
}

async function dismiss(actor: SignedIn, found: SubjectWithCase, input: Record<string, unknown>): Promise<void> {
	const { why, active } = parseInput(dismissInput, input)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockModerator(trx, actor)
			const held = await lockCase(trx, found.type.name, found.subject.id)
			if (!held?.open) throw caseChangedError()
			if (active !== undefined && active !== held.active_at)
				throw new Conflict('Somebody has reported this again in the meantime. Read the new report first.')
			await closeCase(trx, found.type.name, found.subject.id)
			await addLogRow(trx, { ...entryOf(actor, found), act: 'dismiss', why })
		})
}

async function decideSubject(
	actor: SignedIn,
	found: SubjectWithCase,
	act: SubjectAct,
	input: Record<string, unknown>,
): Promise<string> {
	const { type, subject } = found
	const definition = type.acts[act]
	if (!definition && act === 'clean') throw new Invalid('Only parts of profiles can be removed.')
	if (!definition && act === 'unmask') throw new Invalid('Only pseudonyms can be unmasked.')
	const { why } = parseInput(reasonInput(act), { why: '', ...input })
	const own: Record<string, unknown> = definition?.input ? parseInput(definition.input, input) : {}
	requireGoverning(actor, found)
	if (!definition || !subject.acts.includes(act)) throw caseChangedError()
	if (act === 'approve' && typeof input.seen === 'string' && input.seen !== subject.fingerprint)
		throw caseChangedError()
	if (act === 'restore' && typeof input.state === 'string' && input.state !== subject.state) throw caseChangedError()
	const part = definition.field?.choosesPart ? await requirePart(found, own[definition.field.name]) : null
	const {
		announce,
		notified,
		done: notice,
	} = await carryOut(actor, found, { act, definition, call: { why, input: own, part } })
	await announce()
	await announceUnread(notified)
	return notice ?? definition.done
}

interface Order {
	act: SubjectAct
	definition: ActHandler
	call: Pick<ActInput<ModeratedSubject>, 'why' | 'input' | 'part'>
}

/** @throws Invalid when the part is gone */
async function requirePart({ type, author }: SubjectWithCase, value: unknown): Promise<SubjectPart> {
	const part = (await type.listParts?.(author))?.find((one) => one.value === value)
	const message = 'This part no longer exists.'
	if (!part) throw new Invalid(message, { part: message })
	return part
}

/** Locks, in the order of all code that changes the same rows: the subject, its author, the moderator, the case, members' notification boxes. */
function carryOut(actor: SignedIn, found: SubjectWithCase, { act, definition, call }: Order) {
	const { why } = call
	const { type, subject, author } = found
	return db()
		.transaction()
		.execute(async (trx) => {
			const performed = await definition.perform(trx, { subject, author, actor, ...call })
			requireGoverning(await lockModerator(trx, actor), found)
			if (!definition.leavesReports && !performed.leavesReports) await closeCase(trx, type.name, subject.id)
			await addLogRow(trx, { ...entryOf(actor, found), act, why, ...(performed.note && { note: performed.note }) })
			// Nobody is notified of their own actions.
			const memberId = memberIdOf(author) === actor.id ? undefined : memberIdOf(author)
			const notified = (await performed.record?.(memberId)) ?? []
			if (memberId !== undefined)
				notified.push(
					...(await notifyOfDecision(trx, { ...performed.notification, memberId, act: definition.decision, why })),
				)
			return { announce: performed.announce, notified: [...new Set(notified)], done: performed.done }
		})
}

/** Only somebody who may suspend a member may change what others see of them. @throws NotAllowed */
function requireGoverning(actor: SignedIn, { type, author }: SubjectWithCase): void {
	if (type.name !== MEMBER_SUBJECT) return
	if (author.imported || !maySuspend(actor, author)) throw new NotAllowed('You cannot change this profile.')
}

function entryOf(actor: SignedIn, { type, subject, author }: SubjectWithCase) {
	return { actorId: actor.id, kind: type.name, targetId: subject.id, memberId: author.id, title: subject.title }
}
