import { z } from 'zod'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import type { ModeratedMemberRow } from '~/features/moderation/members.queries.server.ts'
import { requireModerator } from '~/features/moderation/members.server.ts'
import { maySuspend } from '~/features/moderation/moderation.policy.ts'
import { whyInput } from '~/features/moderation/moderation.schema.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { storable } from '~/lib/clean.ts'
import { Conflict, DomainError, Invalid } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { continueTakedown } from './hiding.server.ts'
import { type LastTakedownRow, listLastTakedowns, listMembersOfNames } from './takedowns.queries.server.ts'
import {
	AT_ONCE_MS,
	beginTakedown,
	beginUndoing,
	countHideable,
	notGovernedMessage,
	periodOf,
	takedownInput,
} from './takedowns.server.ts'
import {
	type AccountView,
	hasItems,
	type ItemCounts,
	itemKinds,
	type LabelledCount,
	labelledCounts,
	MAX_ACCOUNTS,
	type Period,
	type SkippedAccounts,
} from './takedowns.view.ts'

/*
 * Takedowns of several accounts in one action. Each is carried out separately, with a transaction, a log entry and errors of its own, as
 * on the page of the account: an error for one does not stop the others.
 */

export interface SeveralPage {
	/** The usernames as they were typed. */
	typed: string
	accounts: AccountView[]
	leftOut: SkippedAccounts[]
	period: Period
	/** The start of the chosen period; '' for everything. */
	from: string
	/** Of all accounts together. */
	amounts: LabelledCount[]
}

/**
 * What a takedown of several accounts would hide, and the newest one of each.
 * @param typed usernames, separated by spaces, commas or lines
 * @throws NotAllowed; Invalid for more than {@link MAX_ACCOUNTS}
 */
export async function getSeveralPage(viewer: Viewer, typed: string, sentPeriod: string | null): Promise<SeveralPage> {
	const actor = requireModerator(viewer)
	const { period, from } = periodOf(sentPeriod)
	const { members, leftOut } = await findGoverned(actor, typed)
	const ids = members.map(({ id }) => id)
	const [counts, last] = await Promise.all([countHideable(ids, from), listLastTakedowns(ids)])
	const lastOf = new Map(last.map((one) => [one.member_id, one]))
	const accounts = members.map(({ id, username, name }) => {
		const { member_id: _, ...newest } = lastOf.get(id) ?? { member_id: id }
		return { username, name, counts: counts.get(id) ?? nothing, last: 'id' in newest ? newest : null }
	})
	return { typed, accounts, leftOut, period, from: from ?? '', amounts: labelledCounts(sumOf(accounts)) }
}

const nothing = Object.fromEntries(itemKinds.map((kind) => [kind, 0])) as ItemCounts

function sumOf(accounts: AccountView[]): ItemCounts {
	const sum = (kind: (typeof itemKinds)[number]) => accounts.reduce((total, { counts }) => total + counts[kind], 0)
	return Object.fromEntries(itemKinds.map((kind) => [kind, sum(kind)])) as ItemCounts
}

/** The members of typed names whom this moderator may suspend. */
async function findGoverned(
	actor: SignedIn,
	typed: string,
): Promise<{ members: ModeratedMemberRow[]; leftOut: SkippedAccounts[] }> {
	const names = namesIn(typed)
	const found = names.length === 0 ? [] : await listMembersOfNames(names)
	const known = new Set(found.flatMap((one) => one.typed))
	const members = found.filter((one) => maySuspend(actor, one))
	const foreign = found.filter((one) => !members.includes(one)).map(({ username }) => username)
	return {
		members,
		leftOut: [
			{ why: 'There is no such member.', usernames: names.filter((name) => !known.has(name)) },
			{ why: notGovernedMessage, usernames: foreign },
		].filter(({ usernames }) => usernames.length > 0),
	}
}

/** Distinct usernames of a text, in lower case and without `@`. @throws Invalid for more than {@link MAX_ACCOUNTS} */
function namesIn(typed: string): string[] {
	const words = storable(typed)
		.toLowerCase()
		.split(/[\s,;]+/)
	const names = [...new Set(words.map((word) => word.replace(/^@/, '')))].filter(Boolean)
	if (names.length <= MAX_ACCOUNTS) return names
	const message = `At most ${MAX_ACCOUNTS} accounts at once.`
	throw new Invalid(message, { accounts: message })
}

const accountsInput = z.object({ accounts: z.string({ error: 'The form is incomplete. Enter the accounts again.' }) })

/** What an action about several accounts did. */
export interface SeveralResult {
	done: number
	/** How many of these a job is still working on. */
	unfinished: number
	leftOut: SkippedAccounts[]
}

/**
 * Takes down several accounts, each as {@link beginTakedown} does; a job hides what takes longer than a moment.
 * @param input as `takeDown` takes it, and `accounts`: usernames
 * @throws NotAllowed, Invalid, TooManyRequests; errors of single accounts are in the result
 */
export async function takeDownSeveral(viewer: Viewer, input: Input): Promise<SeveralResult> {
	const words = parseInput(takedownInput, input)
	return forEachAccount(viewer, input, async (actor, member, note) => {
		// An empty takedown would be the newest one, and only the newest can be undone for all.
		const counts = await countHideable([member.id], words.from || null)
		if (!hasItems(counts.get(member.id) ?? nothing)) throw new Conflict('There is nothing to hide.')
		return beginTakedown(actor, member, { ...words, note })
	})
}

const undoInput = whyInput.extend({
	ids: z.string().transform((text) => text.split(',').map(Number)),
})

/**
 * Undoes the newest takedown of several accounts. One that is not complete, or undone already, is left out.
 * @param input `accounts`, `why`; `ids`: the takedowns that the form showed, comma-separated
 * @throws as {@link takeDownSeveral}
 */
export async function undoSeveral(viewer: Viewer, input: Input): Promise<SeveralResult> {
	const { why, ids } = parseInput(undoInput, input)
	return forEachAccount(viewer, input, async (actor, member, note) => {
		const [last] = await listLastTakedowns([member.id])
		if (!last || !ids.includes(last.id)) throw new Conflict('There is another one since. Reload the page.')
		await beginUndoing(actor, member, { id: last.id, why, note })
		return last.id
	})
}

/** @param begin begins a takedown or its undoing; returns the id of the takedown */
async function forEachAccount(
	viewer: Viewer,
	input: Input,
	begin: (actor: SignedIn, member: ModeratedMemberRow, note: string) => Promise<number>,
): Promise<SeveralResult> {
	const actor = requireModerator(viewer)
	const { accounts } = parseInput(accountsInput, input)
	await requireMayWrite(actor.id)
	await countUse('toggles', actor)
	const { members, leftOut } = await findGoverned(actor, accounts)
	if (members.length === 0) throw new Invalid('There is no account left to do this for.')
	const note = members.length > 1 ? `one of ${members.length} chosen accounts` : ''
	const begun: number[] = []
	const refused = new Map<string, string[]>()
	for (const member of members) {
		try {
			begun.push(await begin(actor, member, note))
		} catch (error) {
			const why = wordsOf(error, member.id)
			refused.set(why, [...(refused.get(why) ?? []), member.username])
		}
	}
	await continueFor(begun, AT_ONCE_MS)
	const newest = await listLastTakedowns(members.map(({ id }) => id))
	const isUnfinished = ({ id, state }: LastTakedownRow) =>
		begun.includes(id) && (state === 'running' || state === 'undoing')
	const skipped = [...refused].map(([why, usernames]) => ({ why, usernames }))
	return { done: begun.length, unfinished: newest.filter(isUnfinished).length, leftOut: [...leftOut, ...skipped] }
}

/** Continues takedowns for so many milliseconds altogether; a job does the rest, also where it fails. */
async function continueFor(ids: number[], ms: number): Promise<void> {
	const end = Date.now() + ms
	for (const id of ids) {
		if (Date.now() >= end) return
		await continueTakedown({ id }, end - Date.now()).catch((error) =>
			log.error({ err: error, takedown: id }, 'a takedown is left to its job'),
		)
	}
}

/** Why an action failed for an account. An unexpected error is logged, and does not stop the action for the others. */
function wordsOf(error: unknown, userId: number): string {
	if (error instanceof DomainError) return error.message
	log.error({ err: error, userId }, 'an action about several accounts failed for one')
	return 'Something went wrong. Try again on its own page.'
}
