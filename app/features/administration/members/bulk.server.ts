import { z } from 'zod'
import { isDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import { cohortField } from '~/features/campus/campus-fields.schema.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { logOutMember } from '~/features/moderation/members.server.ts'
import { MEMBER_SUBJECT, suspensionDurations } from '~/features/moderation/moderation.policy.ts'
import { whyInput } from '~/features/moderation/moderation.schema.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { isId } from '~/lib/checks.ts'
import { DomainError, Invalid } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { changeRole, confirmAddressOf, setCohortOf } from './acts.server.ts'
import { listMemberRows } from './members.queries.server.ts'
import { presentMemberSummary, readFilters, readSelectedMembers } from './members.server.ts'
import {
	type BulkAct,
	isBulkAct,
	MAX_BULK_MEMBERS,
	MAX_HIDE_MEMBERS,
	type MemberSummary,
	type SkippedMembers,
} from './members.view.ts'

/*
 * One action for many members. Each is carried out separately, with a transaction, a log entry and errors of its own, as on the member's
 * page: an error for one does not stop the others.
 */

/** Actions that require a confirmed identity, as on the page of a single member. */
export const actsRequiringConfirmation: readonly BulkAct[] = ['log-out', 'confirm', 'moderator', 'member']

/** The effect of a bulk action. */
export interface BulkPreview {
	act: BulkAct
	/** The members it applies to. */
	members: Pick<MemberSummary, 'id' | 'username' | 'name'>[]
	leftOut: SkippedMembers[]
}

const NO_FILTERS = readFilters(new Map())

/** @throws Invalid for nobody, or more than `max` */
async function listChosen(sent: URLSearchParams, max: number) {
	const ids = readSelectedMembers(sent)
	const rows = await listMemberRows(ids ? NO_FILTERS : readFilters(sent), null, max + 1, ids)
	if (rows.length > max)
		throw new Invalid(`More than ${max} members match the filter, which is the limit for one action. Narrow it.`)
	return rows
}

/** The usernames of the members whose posts are to be hidden. @throws NotAllowed; Invalid as {@link previewBulk} */
export async function listChosenNames(viewer: Viewer, sent: URLSearchParams): Promise<string[]> {
	requireAdmin(viewer)
	return (await listChosen(sent, MAX_HIDE_MEMBERS)).map(({ username }) => username)
}

/**
 * The selected members, and those who are left out.
 * @param sent `act`; `m`, each an id, or `all` with the filters of the list
 * @throws NotAllowed; Invalid for an unknown action, nobody, or more than {@link MAX_BULK_MEMBERS}
 */
export async function previewBulk(viewer: Viewer, sent: URLSearchParams): Promise<BulkPreview> {
	const admin = requireAdmin(viewer)
	const act = sent.get('act')
	if (!isBulkAct(act)) throw new Invalid('Choose what to do with them.')
	const rows = await listChosen(sent, MAX_BULK_MEMBERS)
	const members = rows.map(presentMemberSummary)
	const isRefused = (member: MemberSummary) => reasonAgainst(admin, act, member)
	return {
		act,
		members: members.filter((one) => isRefused(one) === null).map(({ id, username, name }) => ({ id, username, name })),
		leftOut: byReason(members.flatMap((one) => ({ username: one.username, why: isRefused(one) ?? '' }))),
	}
}

/** Why an action does not apply to a member, from the data of the list; null if it does. Each action checks again under its lock. */
function reasonAgainst(admin: SignedIn, act: BulkAct, member: MemberSummary): string | null {
	if (!['confirm', 'cohort', 'lift'].includes(act) && member.id === admin.id) return 'This is your own account.'
	if (!['confirm', 'cohort', 'log-out'].includes(act) && member.role === 'admin')
		return 'For an admin, this can only be decided on their own page.'
	const isSuspended = member.suspendedUntil !== null
	const rules: Record<BulkAct, () => string | false> = {
		suspend: () => isSuspended && 'Already suspended.',
		lift: () => !isSuspended && 'Not suspended.',
		'log-out': () => false,
		confirm: () => member.isConfirmed && 'The address is confirmed already.',
		moderator: () =>
			(member.role === 'moderator' && 'Already a moderator.') ||
			(isSuspended && 'Suspended: end the suspension first.') ||
			(isDemoAccount(member.email) && 'The role of a demo account cannot be changed.'),
		member: () => member.role === 'member' && 'Already an ordinary member.',
		cohort: () => false,
	}
	return rules[act]() || null
}

const bulkInput = whyInput.extend({
	ids: z.string({ error: 'The form is incomplete. Choose the members again.' }),
	time: z.enum(suspensionDurations, { error: 'Choose for how long.' }).optional(),
	cohort: cohortField,
})

/** The result of a bulk action. */
export interface BulkResult {
	act: BulkAct
	done: number
	leftOut: SkippedMembers[]
}

/**
 * Carries out an action for each of the previewed members.
 * @param input `ids`, comma-separated; `why`; `time` for a suspension; `cohort` to set, '' for none
 * @throws NotAllowed, Invalid; errors of single members are in the result
 */
export async function runBulk(viewer: Viewer, act: unknown, input: Input): Promise<BulkResult> {
	const admin = requireAdmin(viewer)
	if (!isBulkAct(act)) throw new Invalid('Choose what to do with them.')
	const { why, time = '', cohort, ids: sent } = parseInput(bulkInput, input)
	if (act === 'suspend' && time === '') throw new Invalid('Choose for how long.', { time: 'Choose for how long.' })
	const ids = [...new Set(sent.split(',').map(Number))].filter(isId).slice(0, MAX_BULK_MEMBERS)
	if (ids.length === 0) throw new Invalid('There are no members left to do this for.')
	await countUse('toggles', admin)
	const members = await listMemberRows(NO_FILTERS, null, MAX_BULK_MEMBERS, ids)
	const refused: { username: string; why: string }[] = []
	for (const { id, username } of members) {
		try {
			await single[act](admin, username, { why, time, cohort })
		} catch (error) {
			refused.push({ username, why: wordsOf(error, id) })
		}
	}
	return { act, done: members.length - refused.length, leftOut: byReason(refused) }
}

/** Why an action failed for a member. An unexpected error is logged, and does not stop the action for the others. */
function wordsOf(error: unknown, userId: number): string {
	if (error instanceof DomainError) return error.message
	log.error({ err: error, userId }, 'a bulk action failed for a member')
	return 'Something went wrong. Try again on their own page.'
}

/** The action for a single member, as on their page. */
const single: Record<
	BulkAct,
	(admin: SignedIn, username: string, words: { why: string; time: string; cohort: string }) => Promise<unknown>
> = {
	suspend: (admin, name, { why, time }) =>
		decideCase(admin, { kind: MEMBER_SUBJECT, name, act: 'suspend' }, { why, time }),
	lift: (admin, name, { why }) => decideCase(admin, { kind: MEMBER_SUBJECT, name, act: 'lift' }, { why }),
	'log-out': (admin, name, { why }) => logOutMember(admin, name, why),
	confirm: (admin, name, { why }) => confirmAddressOf(admin, name, why),
	moderator: (admin, name, { why }) => changeRole(admin, name, { role: 'moderator', why }),
	member: (admin, name, { why }) => changeRole(admin, name, { role: 'member', why }),
	cohort: (admin, name, { why, cohort }) => setCohortOf(admin, name, cohort, why),
}

/** Groups members by the reason why they were left out. */
function byReason(refused: readonly { username: string; why: string }[]): SkippedMembers[] {
	const groups = Map.groupBy(
		refused.filter(({ why }) => why !== ''),
		({ why }) => why,
	)
	return [...groups].map(([why, members]) => ({ why, usernames: members.map(({ username }) => username) }))
}
