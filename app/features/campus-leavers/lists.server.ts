import { lockAdmin } from '~/features/administration/admins.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { isId } from '~/lib/checks.ts'
import { readList, refuseList } from '~/lib/csv.ts'
import { Invalid } from '~/lib/errors.ts'
import { formatNumber, pluralize } from '~/lib/text.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Input } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { type LeaverView, type ListPreview, MAX_LIST_LINES, type SkippedLine } from './campus-leavers.view.ts'
import { findByNames, listNamed, type NamedMember } from './leavers.queries.server.ts'
import { type NamedLine, readLeavers } from './list-reading.ts'
import { logAct, markLeft } from './marking.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Members on a list that an admin has confirmed. */
		'mark-left': { userIds: number[]; by: number }
	}
}

/** Of a list. */
const MAX_MEGABYTES = 2
/** Lines left out that a preview shows. */
const MAX_SHOWN = 200
/** Members of one job. */
const MEMBERS_A_JOB = 500

/**
 * Reads a list of the university of people who have left: whom it would mark. Nothing is changed yet.
 * @param input file or names: a File, or pasted text
 * @throws NotAllowed, Invalid, TooManyRequests
 */
export async function previewList(viewer: Viewer, input: Input): Promise<ListPreview> {
	const admin = requireAdmin(viewer)
	await countUse('profileSaves', admin)
	const { lines, named, unclear } = readLeavers(await readList(input.file, input.names, MAX_MEGABYTES))
	if (lines === 0) refuseList('Choose a file with one person in each line, or paste them.')
	if (lines > MAX_LIST_LINES)
		refuseList(`A list has at most ${formatNumber(MAX_LIST_LINES)} lines, and this one has ${formatNumber(lines)}.`)
	const owners = await ownersOf(named)
	const people = new Map(
		(await listNamed([...new Set(owners.values())].flatMap((ids) => [...ids]))).map((one) => [one.id, one]),
	)
	const members = new Map<number, LeaverView>()
	const leftOut: SkippedLine[] = [...unclear]
	for (const one of named) {
		const ids = [...(owners.get(one) ?? [])].filter((id) => people.has(id))
		const member = people.get(ids[0] ?? 0)
		const why = reasonAgainst(ids.length, member, members)
		if (why === null && member) members.set(member.id, presentLeaver(member))
		else leftOut.push({ line: one.line, text: one.text, why: why ?? '' })
	}
	leftOut.sort((one, other) => one.line - other.line)
	return {
		members: [...members.values()],
		leftOut: leftOut.slice(0, MAX_SHOWN),
		leftOutCount: leftOut.length,
	}
}

/** Why a line marks nobody; null if it does. */
function reasonAgainst(
	found: number,
	member: NamedMember | undefined,
	members: ReadonlyMap<number, unknown>,
): string | null {
	if (!member) return 'No member has this.'
	if (found > 1) return 'It fits several members.'
	if (member.role !== 'member') return `@${member.username} is ${member.role}. Change the role first.`
	if (member.isMarked) return `@${member.username} is marked already.`
	if (member.isLeaving) return `The account of @${member.username} is being deleted.`
	return members.has(member.id) ? `@${member.username} is in this list twice.` : null
}

/** The member as pages show one who has left. */
export function presentLeaver({ id, username, name, email }: LeaverView): LeaverView {
	return { id, username, name, email }
}

/** The members whom each line names. */
async function ownersOf(named: readonly NamedLine[]): Promise<Map<NamedLine, Set<number>>> {
	const all = named.flatMap(({ names }) => names)
	const of = (kind: string) => [...new Set(all.filter((one) => one.kind === kind).map(({ name }) => name))]
	const found = new Map<string, Set<number>>()
	for (const { kind, name, user_id } of await findByNames({
		email: of('email'),
		username: of('username'),
		number: of('number'),
	})) {
		const key = `${kind} ${name}`
		found.set(key, (found.get(key) ?? new Set()).add(user_id))
	}
	return new Map(
		named.map((one) => [
			one,
			new Set(one.names.flatMap(({ kind, name }) => [...(found.get(`${kind} ${name}`) ?? [])])),
		]),
	)
}

/**
 * Marks the previewed members as having left, by jobs.
 * @param input `ids`, comma-separated
 * @returns their number
 * @throws NotAllowed; Invalid without any
 */
export async function markList(viewer: Viewer, input: Input): Promise<number> {
	const admin = requireAdmin(viewer)
	const ids = [
		...new Set(
			String(input.ids ?? '')
				.split(',')
				.map(Number),
		),
	]
		.filter(isId)
		.slice(0, MAX_LIST_LINES)
	if (ids.length === 0) throw new Invalid('The list is empty. Read it again.')
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, admin)
			for (let from = 0; from < ids.length; from += MEMBERS_A_JOB)
				await addJob('mark-left', { userIds: ids.slice(from, from + MEMBERS_A_JOB), by: admin.id }, trx)
			await logAct(trx, admin, 'mark who left', pluralize(ids.length, 'member'))
		})
	return ids.length
}

/** Marks the members of a list; a job. */
export async function markListed({ userIds, by }: { userIds: number[]; by: number }): Promise<void> {
	await markLeft(userIds, by)
}
