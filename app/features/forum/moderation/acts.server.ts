import { requireMayWrite } from '~/features/accounts/suspension.server.ts'
import { change, eventQuery, type Verdict } from '~/features/questions/writing/change.server.ts'
import { Conflict, Invalid, NotFound } from '~/lib/errors.ts'
import { isId } from '~/lib/ids.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/parse.server.ts'
import { closeCase } from './cases.queries.server.ts'
import { addLogRow } from './log.queries.server.ts'
import { suspendAuthor } from './members.server.ts'
import type { Act } from './moderation.present.ts'
import { maybeWhyInput, mergeInput, whyInput } from './moderation.schema.ts'
import { actsOn, startsFrom, stateOf } from './moderation.views.ts'
import { judgeProfile, type ProfileAct, profileActsDone } from './profile-acts.server.ts'
import { lockModerator, moderator } from './staff.server.ts'
import { type CaseRow, findNamed, type TargetName } from './targets.server.ts'
import { textActs } from './text-acts.server.ts'
import { lockAnyComment, lockAnyQuery } from './withholding.queries.server.ts'

type TextAct = keyof typeof startsFrom

/** What a moderator is told afterwards. */
const done: Record<Act, string> = {
	approve: 'It is now visible to everyone.',
	refuse: 'Rejected. Its author sees your reason.',
	hide: 'Hidden. Its author sees your reason.',
	restore: 'It is back in the forum.',
	dismiss: 'The reports are dismissed.',
	lock: 'Nobody can comment on it now.',
	unlock: 'Comments are open again.',
	merge: 'Merged. Its address leads to the other query.',
	clean: profileActsDone.clean,
	suspend: 'Suspended.',
	lift: 'The suspension is lifted.',
}

/**
 * Decides about something that was reported, or that a moderator came upon. One transaction: the text, every count, its case
 * and the record of who did it.
 * @param input why; for a suspension `time`, for a merge `into`, for removing from a profile `part`; `seen`, the print of the text as the moderator read it
 * @returns a sentence that says what was done
 * @throws NotAllowed, NotFound, Invalid, Conflict when it does not stand as the moderator saw it
 */
export async function judge(
	viewer: Viewer,
	{ act, ...name }: TargetName & { act: string },
	input: Record<string, unknown>,
): Promise<string> {
	const actor = moderator(viewer)
	await requireMayWrite(actor.id)
	const row = await findNamed(name)
	if (!row) throw new NotFound('There is nothing to decide here.')
	if (!isAct(act)) throw new Invalid('Choose what to do.')
	if (act === 'suspend' || act === 'lift') await suspendAuthor(actor, row, act, input)
	else if (act === 'dismiss') await dismiss(actor, row, input)
	else if (row.kind === 'profile' && isProfileAct(act)) {
		await judgeProfile(actor, row, act, input)
		return profileActsDone[act]
	} else if (act === 'clean') throw new Invalid('Only parts of profiles can be removed.')
	else await judgeText(actor, row, act, input)
	return done[act]
}

function isProfileAct(act: Act): act is ProfileAct {
	return Object.hasOwn(profileActsDone, act)
}

function isAct(act: string): act is Act {
	return Object.hasOwn(done, act)
}

async function dismiss(actor: SignedIn, row: CaseRow, input: Record<string, unknown>): Promise<void> {
	const { why } = parseInput(maybeWhyInput, input)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockModerator(trx, actor)
			if (!(await closeCase(trx, row.kind, row.target_id))) throw meanwhile()
			await addLogRow(trx, { ...entryOf(actor, row), act: 'dismiss', why })
		})
}

async function judgeText(actor: SignedIn, row: CaseRow, act: TextAct, input: Record<string, unknown>): Promise<void> {
	const isBare = act === 'approve' || act === 'restore' || act === 'unlock'
	const { why } = parseInput(isBare ? maybeWhyInput : whyInput, { why: '', ...input })
	const into = act === 'merge' ? parseInput(mergeInput, input).into : 0
	if (!actsOn(actor, row).includes(act)) throw meanwhile()
	if (act === 'approve' && typeof input.seen === 'string' && input.seen !== row.print) throw meanwhile()
	const query = eventQuery({
		id: row.query_id ?? 0,
		author_id: row.query_author_id ?? 0,
		username: row.query_username ?? '',
		category_slug: row.category_slug ?? '',
		title: row.title ?? '',
		tags: row.tags ?? [],
	})
	await change(async (trx) => {
		const held = await hold(trx, row, act, into)
		const text = { kind: row.kind as 'query' | 'comment', id: row.target_id, query, why, into, held }
		const { event, note } = await textActs[act](trx, actor, text)
		await lockModerator(trx, actor)
		if (act !== 'lock' && act !== 'unlock') await closeCase(trx, row.kind, row.target_id)
		await addLogRow(trx, { ...entryOf(actor, row), act, why, note })
		// Nobody is told of what they did themselves.
		const decision = row.author_id === actor.id ? undefined : verdictOf(row, act, why)
		return { event: { ...event, decision }, result: undefined }
	})
}

function verdictOf(row: CaseRow, act: TextAct, why: string): Verdict {
	const isComment = row.kind === 'comment'
	const named = (isComment ? `${act} comment` : `${act} query`) as Verdict['act']
	return { memberId: row.author_id, act: named, why, commentId: isComment ? row.target_id : null }
}

/** Locks the query, or both of a merge in the order of their numbers, then the comment; all must stand as they were seen. */
async function hold(trx: Executor, row: CaseRow, act: TextAct, into: number) {
	const queryId = row.query_id ?? 0
	const other = act === 'merge' && isId(into) && into !== queryId ? into : null
	const queries = new Map<number, Awaited<ReturnType<typeof lockAnyQuery>>>()
	for (const id of [queryId, ...(other === null ? [] : [other])].sort((one, two) => one - two))
		queries.set(id, await lockAnyQuery(trx, id))
	const query = queries.get(queryId)
	if (!query || (row.kind === 'comment' && query.gone)) throw meanwhile()
	const isInForum = other !== null && queries.get(other)?.gone === false
	if (act === 'merge' && !isInForum) {
		const message = 'There is no other query at this address.'
		throw new Invalid(message, { into: message })
	}
	const held = row.kind === 'comment' ? await lockAnyComment(trx, row.target_id) : query
	if (!held || !startsFrom[act].includes(stateOf(held))) throw meanwhile()
	if (act === 'approve' && held.print !== row.print) throw meanwhile()
	if ((act === 'lock' || act === 'unlock') && query.locked === (act === 'lock')) throw meanwhile()
	return { ...query, ...held }
}

function entryOf(actor: SignedIn, row: CaseRow) {
	const { kind, target_id: targetId, author_id: memberId } = row
	return { actorId: actor.id, kind, targetId, memberId, title: row.title ?? row.name }
}

function meanwhile(): Conflict {
	return new Conflict('Someone else has already decided this, or it has changed. Reload the page.')
}
