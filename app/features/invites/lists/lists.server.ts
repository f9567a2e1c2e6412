import { config } from '~/config.server.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { isAllowedDomain } from '~/features/accounts/registration/names.server.ts'
import { registrationSettings, requireInvitesEnabled } from '~/features/accounts/registration/rules.server.ts'
import { lockAdmin } from '~/features/administration/admins.server.ts'
import { listProviders } from '~/features/campus-login/providers.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { timeOfDay, zoneName } from '~/lib/calendar.ts'
import { readList, refuseList } from '~/lib/csv.ts'
import { inSiteZone, shortDateOf } from '~/lib/dates.ts'
import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { pluralize } from '~/lib/text.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decodeIdCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { listInput } from '../invites.schema.ts'
import { type InviteListView, MAX_LIST_LINES, MAX_SKIPPED_SHOWN, type SkippedLine } from '../invites.view.ts'
import { logInvitation } from '../log.server.ts'
import {
	deleteDraftList,
	findList,
	findMemberAddresses,
	finishLists,
	insertList,
	type ListRow,
	listLists,
	lockNextAddresses,
	recordMailed,
	type WaitingAddress,
	writeListState,
} from './lists.queries.server.ts'
import { readAddresses } from './reading.ts'

/*
 * Lists of addresses for the start of a term. A file is read and checked first, and an admin starts the mailing. A job then mails a batch
 * every minute, until the list is complete or stopped.
 */

/** For all lists together, as mail servers reject faster senders. */
const MAILS_A_MINUTE = 60
/** Mails whose jobs are inserted in one transaction. */
const MAILS_AT_ONCE = 20
/** Of a list: enough for 50,000 lines of usual length. */
const MAX_MEGABYTES = 5
const LISTS_PER_PAGE = 20

/**
 * Reads a file of addresses and stores the valid ones as a draft; nothing is mailed yet.
 * @param input cohort, days, and file or addresses: a File, or pasted text
 * @returns the id of the list
 * @throws NotAllowed, Invalid, TooManyRequests
 */
export async function makeList(viewer: Viewer, input: Input): Promise<number> {
	const admin = requireAdmin(viewer)
	const { cohort, days } = parseInput(listInput, input)
	await countUse('profileSaves', admin)
	const { domains } = registrationSettings()
	const read = readAddresses(await readList(input.file, input.addresses, MAX_MEGABYTES), (email) =>
		isAllowedDomain(email, domains),
	)
	if (read.lines === 0) refuseList('Choose a file with one email address in each line, or paste them.')
	if (read.lines > MAX_LIST_LINES)
		refuseList(
			`A list has at most ${MAX_LIST_LINES.toLocaleString('en')} lines, and this one has ${read.lines.toLocaleString('en')}.`,
		)
	const known = await findMemberAddresses([...read.addresses.keys()])
	const members: SkippedLine[] = [...read.addresses]
		.filter(([email]) => known.has(email))
		.map(([text, line]) => ({ line, text, why: 'This address already has an account.' }))
	const emails = [...read.addresses.keys()].filter((email) => !known.has(email))
	const all = [...read.invalid, ...read.doubled, ...read.refused, ...members].sort(
		(one, other) => one.line - other.line,
	)
	const report = {
		lines: read.lines,
		valid: emails.length,
		members: members.length,
		doubled: read.doubled.length,
		refused: read.refused.length,
		invalid: read.invalid.length,
		leftOut: all.slice(0, MAX_SKIPPED_SHOWN),
	}
	return asAdmin(admin, (trx) => insertList(trx, { cohort, days, report, createdBy: admin.id, emails }))
}

/** Runs a transaction of somebody who is an admin, and may write, until it ends. @throws NotAllowed */
function asAdmin<Result>(viewer: Viewer, work: (trx: Executor) => Promise<Result>): Promise<Result> {
	const admin = requireAdmin(viewer)
	return db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, admin)
			return work(trx)
		})
}

/** A page of lists, newest first. @throws NotAllowed; Invalid for a malformed cursor */
export async function getLists(viewer: Viewer, cursor: string | null = null): Promise<Page<InviteListView>> {
	requireAdmin(viewer)
	const found = await listLists(cursor === null ? null : decodeIdCursor(cursor), LISTS_PER_PAGE + 1)
	const { rows, next } = pageOf(found, LISTS_PER_PAGE, ({ id }) => [id])
	return { rows: rows.map(present), next }
}

/** A list with its progress. @throws NotAllowed, NotFound */
export async function getList(viewer: Viewer, id: number): Promise<InviteListView> {
	requireAdmin(viewer)
	const row = await findList(id)
	if (!row) throw new NotFound('There is no such list. Lists that were not sent are deleted after a day.')
	return present(row)
}

/** Starts or resumes the mailing of a list. @throws NotAllowed, Conflict */
export async function sendList(viewer: Viewer, id: number): Promise<void> {
	const admin = requireAdmin(viewer)
	const list = await findList(id)
	if (list?.is_expired)
		throw new Conflict('The links of this list have expired, so that nobody could join with them. Make a new list.')
	requireJoining()
	const left = (list?.total ?? 0) - (list?.mailed ?? 0)
	const note = `to ${pluralize(left, 'address', 'addresses')}`
	const isStarted = await asAdmin(admin, async (trx) => {
		if (!(await writeListState(trx, id, { from: ['draft', 'stopped'], to: 'sending' }))) return false
		await logInvitation(trx, admin, { act: 'send invitations', listId: id, title: `List ${id}`, note })
		return true
	})
	if (!isStarted) throw new Conflict('This list is already being sent, or is done.')
	await recordSecurityEvent('list-sent', { userId: admin.id, detail: { list: id } })
}

/** @throws Conflict where each mail would lead to a refusal */
function requireJoining(): void {
	const reason = 'Nobody could join with these links.'
	try {
		requireInvitesEnabled()
	} catch (error) {
		if (!(error instanceof NotAllowed)) throw error
		throw new Conflict(`${reason} ${error.message}`)
	}
	if (!allowsPasswords() && !listProviders().some(({ isPublic, registers }) => !isPublic && registers))
		throw new Conflict(
			`${reason} Passwords are switched off, and the login of the university makes no accounts: turn on “New people get an account” in its settings.`,
		)
}

/** Stops the mailing of a list; queued mails are still sent. @throws NotAllowed, Conflict */
export async function stopList(viewer: Viewer, id: number): Promise<void> {
	const admin = requireAdmin(viewer)
	const isStopped = await asAdmin(admin, async (trx) => {
		if (!(await writeListState(trx, id, { from: ['sending'], to: 'stopped' }))) return false
		await logInvitation(trx, admin, { act: 'stop invitations', listId: id, title: `List ${id}` })
		return true
	})
	if (!isStopped) throw new Conflict('This list is not being sent.')
}

/** Deletes a list that was never mailed. @throws NotAllowed, Conflict */
export async function discardList(viewer: Viewer, id: number): Promise<void> {
	if (!(await asAdmin(viewer, (trx) => deleteDraftList(trx, id))))
		throw new Conflict('Only a list that was never sent can be discarded. Stop this one instead.')
}

/**
 * Mails the next addresses; call it every minute. The record that an address is mailed and the job that mails it are written in one
 * transaction, so that each address gets exactly one job even after a crash.
 */
export async function mailLists(limit = MAILS_A_MINUTE): Promise<void> {
	for (let left = limit; left > 0; left -= MAILS_AT_ONCE)
		if ((await mailSome(Math.min(left, MAILS_AT_ONCE))) === 0) break
	await finishLists()
}

function mailSome(limit: number): Promise<number> {
	return db()
		.transaction()
		.execute(async (trx) => {
			const waiting = await lockNextAddresses(trx, limit)
			for (const address of waiting) {
				const token = newToken()
				await recordMailed(trx, address.id, address.is_member ? null : hashToken(token))
				if (!address.is_member) await addJob('send-mail', invitationMail(address, token), trx)
			}
			return waiting.length
		})
}

/** The invitation mail to one address. Its id lets a mail server recognize a duplicate, sent because the first response was lost. */
function invitationMail({ email, cohort, id, expires_at: until }: WaitingAddress, token: string): Mail {
	const { publicUrl } = config()
	const who = cohort ? ` as ${cohort}` : ''
	const text = `You are invited to ${siteName()}${who}: the place to ask, answer and find others on campus.`
	const link = { label: 'Join', url: `${publicUrl}/invite?token=${encodeURIComponent(token)}` }
	const proof = allowsPasswords()
		? 'It is for you alone and confirms this address.'
		: 'It leads to the login of the university, whose account you use here.'
	const end = inSiteZone(until.toISOString())
	const closing = `The link works until ${shortDateOf(end)}, ${timeOfDay(end)} ${zoneName()}. ${proof} If you do not want to join, ignore this email: nothing more comes.`
	const headers = { 'Message-ID': `<invitation-${id}@${new URL(publicUrl).hostname}>` }
	return { ...linkMail(email, `Join ${siteName()}`, text, link, closing), headers }
}

function present(row: ListRow): InviteListView {
	const { id, cohort, state, report, by, total, mailed, joined } = row
	return {
		id,
		cohort,
		state,
		report,
		by,
		total,
		mailed,
		joined,
		createdAt: row.created_at.toISOString(),
		expiresAt: row.expires_at.toISOString(),
	}
}
