import { config } from '~/config.server.ts'
import { escapeHtml } from '~/lib/html.ts'
import { isolated } from '~/lib/text.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { type Mail, mailPage } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	claimUnseen,
	clearDueMail,
	type DueMember,
	lockDueMembers,
	lockProgress,
	type UnseenNotification,
	writeMailed,
	writeProgress,
} from './digest.queries.server.ts'
import {
	actorNameOf,
	listSources,
	type NotificationKindName,
	textOfEvent,
	type UnseenEvents,
	type UnseenSource,
} from './kinds.server.ts'
import { andOthers } from './notifications.view.ts'
import { unsubscribeUrl } from './preferences.server.ts'

/** Members handled in one transaction, and ids scanned for unseen events. */
const MAX_MEMBERS = 200
const MAX_IDS = 5_000

/**
 * Mails members what they have not seen on the site, at most one mail a day. Taking the events and queuing the mail are one
 * transaction: run again, or in two processes, it mails nobody twice. A member whose mail cannot be made is left out until the next
 * run.
 * @returns how many mails
 * @throws the last error, if somebody was left out
 */
export async function mailDigests(): Promise<number> {
	const run = new BatchRun('the daily mail of a member could not be made')
	const next = () => run.batch((trx) => mailDue(run, trx))
	let mails = 0
	for (let made = await next(); made !== null; made = await next()) mails += made ?? 0
	run.finish()
	return mails
}

/** @returns how many mails; null when nobody is due, or another process mails them */
async function mailDue(run: BatchRun, trx: Executor): Promise<number | null> {
	const due = await lockDueMembers(trx, { limit: MAX_MEMBERS, except: run.failed })
	if (due.length === 0) return null
	let mails = 0
	for (const member of due) mails += await run.of(member.user_id, () => mailMember(trx, member))
	return mails
}

/** @returns the number of mails, 0 if they have seen everything */
async function mailMember(trx: Executor, member: DueMember): Promise<number> {
	const rows = await claimUnseen(trx, member.user_id)
	await clearDueMail(trx, member.user_id, rows.length > 0)
	if (rows.length === 0) return 0
	await addJob('send-mail', digest(member, rows), trx)
	return 1
}

/**
 * Mails members unseen events of kinds that store no notification: one mail per kind and reader. The progress, the mailed events
 * and the mail jobs are one transaction: run again, or in two processes, it mails nothing twice. A member whose mail cannot be made
 * gets these events with the next ones.
 * @returns how many mails
 * @throws the last error, if somebody was left out
 */
export async function mailUnseen(): Promise<number> {
	const run = new BatchRun('the mail about what a member has not seen could not be made')
	let mails = 0
	for (const [kind, source] of listSources()) {
		const next = () => run.batch((trx) => mailNext(run, trx, kind, source))
		for (let made = await next(); made !== null; made = await next()) mails += made ?? 0
	}
	run.finish()
	return mails
}

/** @returns how many mails; null when nothing is due, or another process makes them */
async function mailNext(
	run: BatchRun,
	trx: Executor,
	kind: NotificationKindName,
	source: UnseenSource,
): Promise<number | null> {
	const after = await lockProgress(trx, kind)
	const upto = after === undefined ? undefined : await source.findLastDue(trx, after, MAX_IDS)
	if (after === undefined || upto === undefined) return null
	const due = (await source.listDue(trx, after, upto)).filter(({ reader }) => !run.failed.includes(reader.id))
	await writeMailed(trx, due)
	const readers = Map.groupBy(due, ({ reader }) => reader.id)
	for (const [id, events] of readers) await run.of(id, () => addJob('send-mail', unseenMail(kind, source, events), trx))
	await writeProgress(trx, kind, upto)
	return readers.size
}

/** The mail about one reader's unseen events: each subject with its headline and excerpt. */
function unseenMail(kind: NotificationKindName, source: UnseenSource, due: UnseenEvents[]): Mail {
	const [{ reader, headline }] = due as [UnseenEvents]
	return digestMail(reader, {
		subject: due.length === 1 ? headline : source.mailSubject(due.length),
		items: due.map((one) => ({ text: one.headline, excerpt: one.subject.excerpt, url: one.subject.url })),
		reason: source.mailReason,
		unsubscribe: unsubscribeUrl(reader.id, kind),
	})
}

function digest(member: DueMember, rows: UnseenNotification[]): Mail {
	const items = rows.map((row) => ({ text: sentenceOf(row), excerpt: '', url: row.url }))
	const [first] = items
	const { taken = 0 } = rows[0] ?? {}
	if (taken > rows.length) items.push({ text: `And ${taken - rows.length} more`, excerpt: '', url: '/notifications' })
	return digestMail(member, {
		subject: taken === 1 && first ? first.text : `${taken} new notifications at ${siteName()}`,
		items,
		reason: 'This email lists what you have not seen on the site, at most once a day.',
		unsubscribe: unsubscribeUrl(member.user_id),
	})
}

function sentenceOf(row: UnseenNotification): string {
	const about = row.title === '' ? '' : ` “${isolated(row.title)}”`
	const because = row.reason === '' ? '' : ` Reason: ${isolated(row.reason)}`
	return `${isolated(actorNameOf(row))}${andOthers(row.people)} ${textOfEvent(row)}${about}${because && '.'}${because}`
}

/** The content of a mail. */
export interface Digest {
	subject: string
	/** Links to paths of the site. */
	items: { text: string; excerpt: string; url: string }[]
	/** Why the reader gets it. */
	reason: string
	/** The address that unsubscribes from such mails. */
	unsubscribe: string
}

/** A mail with a list of items, as text and HTML, with the header for one-click unsubscribing. */
export function digestMail(to: { name: string; email: string }, { subject, items, reason, unsubscribe }: Digest): Mail {
	const { publicUrl } = config()
	const greeting = `Hello ${isolated(to.name)},`
	const shown = items.map(({ text, excerpt, url }) => ({
		text: isolated(text),
		excerpt: isolated(excerpt),
		url: publicUrl + url,
	}))
	const texts = shown.map(({ text, excerpt, url }) => [text, excerpt, url].filter(Boolean).join('\n'))
	const lines = shown.map(
		({ text, excerpt, url }) =>
			`<li><a href="${escapeHtml(url)}">${escapeHtml(text)}</a>${excerpt && `<br>${escapeHtml(excerpt)}`}</li>`,
	)
	return {
		to: to.email,
		subject,
		text: `${greeting}\n\n${texts.join('\n\n')}\n\n${reason}\nSettings: ${publicUrl}/settings\nUnsubscribe: ${unsubscribe}\n\n${siteName()}\n`,
		html: mailPage(
			`<p>${escapeHtml(greeting)}</p><ul>${lines.join('')}</ul>
<p class="quiet">${reason} <a href="${publicUrl}/settings">Settings</a> ·
<a href="${escapeHtml(unsubscribe)}">Unsubscribe</a></p>`,
		),
		optional: true,
		headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
	}
}
