import { z } from 'zod'
import { isDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { lockAdmin } from '~/features/administration/admins.server.ts'
import { announceUnreadCount } from '~/features/conversations/conversations.server.ts'
import { announceFormerName } from '~/features/identity/usernames/former-names.server.ts'
import { releaseCases } from '~/features/moderation/handling/handling.queries.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { whyInput } from '~/features/moderation/moderation.schema.ts'
import { announceUnread } from '~/features/notifications/notifications.server.ts'
import { findArchive } from '~/features/privacy/archive/archive.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceAccountChange, announceEndedSessions, endAllAccess } from '~/features/sessions/sessions.server.ts'
import { Conflict, NotFound } from '~/lib/errors.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Feature } from '~/platform/feature.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { type Merge, type MergeStep, platformData } from '~/platform/member-data.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { closeTabsOf } from '~/platform/realtime/presence.server.ts'
import type { MergePage, MergePerson } from './merge.view.ts'
import {
	closeAccount,
	deleteMerged,
	findBoth,
	findMergeable,
	listUsernames,
	lockBoth,
	type MergeableRow,
	mergeAccountColumns,
	recalculateSharedEvidence,
	removeMutualActivity,
} from './merging.queries.server.ts'
import { type MovedColumn, moveRows } from './moving.queries.server.ts'
import { mergeMails, previewMerge } from './words.server.ts'

/*
 * An admin merges two accounts of one person. Each feature declares in its manifest what happens to its rows; this file defines the order
 * of the steps, runs them in one transaction and announces the result.
 */

let steps: readonly MergeStep[] = []
let columns: readonly MovedColumn[] = []

/** Registers the merge rules and merge steps of all features. */
export function registerMerging(features: readonly Feature[]): void {
	steps = features.flatMap(({ merging = [] }) => merging)
	columns = movedColumns([...features, { name: 'platform', memberData: platformData }])
}

/** Every column that references a member, with its rule. */
export function movedColumns(features: readonly Feature[]): MovedColumn[] {
	return features.flatMap(({ memberData = {} }) =>
		Object.entries(memberData).flatMap(([table, entry]) =>
			typeof entry === 'string'
				? []
				: Object.entries(entry.merge).map(([column, rule], place) => ({
						table,
						column,
						rule,
						...(place === 0 && entry.called !== undefined && { called: entry.called }),
					})),
		),
	)
}

const MAX_TYPED = 254

/**
 * The account to be merged and, once the kept account is named, a preview of the merge.
 * @param typed username or address of the kept account as typed; null before that
 * @throws NotAllowed, NotFound
 */
export async function getMergePage(viewer: Viewer, username: string, typed: string | null): Promise<MergePage> {
	const actor = requireAdmin(viewer)
	const word = wordOf(typed ?? '')
	const found = await findMergeable(word === '' ? [username] : [username, word])
	const gone = found.find((row) => row.word === username)
	if (!gone) throw new NotFound('There is no such member.')
	const page = { gone: personOf(gone), typed: typed ?? '', preview: null }
	if (typed === null) return { ...page, refusal: '' }
	const kept = found.find((row) => row.word === word)
	const refusal = kept ? refusalOf(actor, gone, kept) : 'There is no member with this username or address.'
	if (!kept || refusal) return { ...page, refusal: refusal ?? '' }
	return { ...page, preview: await previewMerge(gone, kept, columns), refusal: '' }
}

function wordOf(typed: string): string {
	return typed.replaceAll('\0', '').trim().toLowerCase().replace(/^@/, '').slice(0, MAX_TYPED)
}

function personOf({ username, name, image }: MergeableRow): MergePerson {
	return { username, name, image }
}

/** Why this admin cannot merge the two accounts, as a sentence; null if they can. */
function refusalOf(actor: SignedIn, gone: MergeableRow, kept: MergeableRow): string | null {
	if (gone.id === kept.id) return 'This is the same account. Choose another one.'
	if (gone.id === actor.id || kept.id === actor.id)
		return 'You cannot merge your own account, as another admin has to check the merge. Ask one of them.'
	if (isDemoAccount(gone.email) || isDemoAccount(kept.email))
		return 'A demo account cannot be merged: its password is printed at the start.'
	const leaver = [gone, kept].find(({ leaves }) => leaves)
	if (leaver) return `@${leaver.username} is being deleted. Its member has to log in and keep it first.`
	const busy = [gone, kept].find((row) => row.taken_down)
	if (busy) return `Everything of @${busy.username} is being hidden or restored. Try again in a moment.`
	if (kept.role !== 'member' && gone.suspended_until !== null)
		return `@${gone.username} is suspended, and staff cannot be. Take the role of @${kept.username} away first, or end the suspension.`
	return null
}

const intoInput = z.object({ into: z.string({ error: 'Enter the account to keep.' }).max(MAX_TYPED) })

/** @param username of the merged account, which the admin types to confirm */
function mergeInput(username: string) {
	const message = `Type ${username}, the username of the account to be deleted.`
	return whyInput.extend({
		username: z.string({ error: message }).refine((typed) => wordOf(typed) === username, message),
	})
}

/**
 * Merges an account into another one and deletes it.
 * @param username of the account to delete
 * @param input `into`: username of the kept account; `username`: that of the deleted one, typed again; `why`: the reason
 * @returns the username of the kept account
 * @throws NotAllowed, NotFound, Invalid; Conflict if the two cannot be merged, or were merged meanwhile
 */
export async function mergeAccounts(viewer: Viewer, username: string, input: Input): Promise<string> {
	const actor = requireAdmin(viewer)
	const { into } = parseInput(intoInput, input)
	await requireMayWrite(actor.id)
	await countUse('toggles', actor)
	const found = await findMergeable([username, wordOf(into)])
	const [gone, kept] = [username, wordOf(into)].map((word) => found.find((row) => row.word === word))
	if (!gone) throw new NotFound('There is no such member.')
	if (!kept) throw new NotFound('The account to keep no longer exists.')
	const { why } = parseInput(mergeInput(gone.username), input)
	const merged = await db()
		.transaction()
		.execute((trx) => mergeIn(trx, actor, { goneId: gone.id, keptId: kept.id }, why))
	await announceMerge(actor, merged)
	return merged.kept.username
}

interface Merged {
	gone: MergeableRow
	kept: MergeableRow
	/** All usernames of the deleted account. */
	names: string[]
}

async function mergeIn(trx: Executor, actor: SignedIn, merge: Merge, why: string): Promise<Merged> {
	await lockBoth(trx, merge)
	await lockAdmin(trx, actor)
	const both = await findBoth(trx, merge)
	const [gone, kept] = [merge.goneId, merge.keptId].map((id) => both.find((row) => row.id === id))
	if (!gone || !kept)
		throw new Conflict('One of the two accounts no longer exists: somebody merged or deleted it meanwhile.')
	const refusal = refusalOf(actor, gone, kept)
	if (refusal) throw new Conflict(refusal)
	const names = await listUsernames(trx, gone.id)
	const archive = await findArchive(gone.id, trx)
	if (archive) await addJob('remove-archive', { name: archive.name }, trx)
	// The first pass runs while others may write, the second one moves what they added: the account is locked only for the second.
	const first = await moveEverything(trx, merge)
	await closeAccount(trx, gone.id)
	const second = await moveEverything(trx, merge)
	await mergeAccountColumns(trx, merge)
	if (gone.suspended_until !== null) {
		await endAllAccess(trx, kept.id)
		await releaseCases(trx, kept.id)
	}
	await deleteMerged(trx, merge)
	await recalculateSharedEvidence(trx, merge)
	const about = { kind: MEMBER_SUBJECT, targetId: kept.id, memberId: kept.id, title: kept.name }
	const note = [`@${gone.username} into @${kept.username}`, ...inWords(first, second)].join(', ')
	await addLogRow(trx, { actorId: actor.id, act: 'merge accounts', ...about, why, note })
	for (const mail of mergeMails(gone, kept)) await addJob('send-mail', mail, trx)
	return { gone, kept, names }
}

/** Applies the rules of all features. @returns the number of moved rows, by their name */
async function moveEverything(trx: Executor, merge: Merge): Promise<Map<string, number>> {
	await removeMutualActivity(trx, merge)
	for (const step of steps) await step(trx, merge)
	const counts = new Map<string, number>()
	for (const column of columns) {
		const count = await moveRows(trx, column, merge)
		if (column.called !== undefined && count > 0) counts.set(column.called, count)
	}
	return counts
}

function inWords(...counts: Map<string, number>[]): string[] {
	const labels = new Set(counts.flatMap((one) => [...one.keys()]))
	return [...labels].map((label) => {
		const count = counts.reduce((sum, one) => sum + (one.get(label) ?? 0), 0)
		return `${label}: ${count}`
	})
}

/** Updates all processes, cached pages and open tabs, as after a rename. Never throws. */
async function announceMerge(actor: SignedIn, { gone, kept, names }: Merged): Promise<void> {
	await Promise.all(names.map((name) => announceFormerName(name, kept.id)))
	await announceEndedSessions(gone.id, gone.username)
	if (gone.suspended_until === null) await announceAccountChange(kept.id)
	else await announceEndedSessions(kept.id, kept.username)
	await invalidatePages([ALL_PAGES])
	announce('everybody', 'member:renamed', { from: gone.username, to: kept.username })
	closeTabsOf({ id: gone.id, username: gone.username })
	await Promise.all([announceUnread([kept.id]), announceUnreadCount(kept)])
	await recordSecurityEvent('accounts-merged', { userId: kept.id, detail: { by: actor.id, gone: gone.id } })
}
