import { config } from '~/config.server.ts'
import { escapeHtml } from '~/lib/html.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import type { Mail } from '~/platform/mail/mail.server.ts'
import { type DueMember, settle, takeDue, takeUnseen, type UnseenRow } from './digest.queries.server.ts'
import { doerOf, wordsOf } from './kinds.server.ts'
import { others } from './notifications.view.ts'
import { unsubscribeUrl } from './preferences.server.ts'

const membersAtOnce = 200

/**
 * Mails those for whom something waits what they have not seen on the site, at most one mail a day each. What is mailed, that
 * it is, and the mail's job are one transaction: run again, or in two processes, it mails nobody twice.
 * @returns how many mails
 */
export async function mailDigests(): Promise<number> {
	return db()
		.transaction()
		.execute(async (trx) => {
			let mails = 0
			for (const member of await takeDue(trx, membersAtOnce)) {
				const rows = await takeUnseen(trx, member.user_id)
				await settle(trx, member.user_id, rows.length > 0)
				if (rows.length === 0) continue
				await addJob('send-mail', digest(member, rows), trx)
				mails += 1
			}
			return mails
		})
}

function sentenceOf(row: UnseenRow): string {
	const about = row.title === '' ? '' : ` “${row.title}”`
	const because = row.reason === '' ? '' : ` Reason: ${row.reason}`
	return `${doerOf(row)}${others(row.people)} ${wordsOf(row)}${about}${because && '.'}${because}`
}

function digest(member: DueMember, rows: UnseenRow[]): Mail {
	const { publicUrl, SITE_NAME } = config()
	const sentences = rows.map((row) => ({
		text: sentenceOf(row),
		url: publicUrl + row.url,
	}))
	const [first] = sentences
	const subject = rows.length === 1 && first ? first.text : `${rows.length} new notifications at ${SITE_NAME}`
	const leave = unsubscribeUrl(member.user_id)
	const why = 'This email lists what you have not seen on the site, at most once a day.'
	const items = sentences.map(
		({ text, url }) =>
			`<li style="margin:0 0 .75em"><a href="${escapeHtml(url)}" style="color:#1c6b4a">${escapeHtml(text)}</a></li>`,
	)
	return {
		to: member.email,
		subject,
		text: `Hello ${member.name},\n\n${sentences.map(({ text, url }) => `${text}\n${url}`).join('\n\n')}\n\n${why}\nSettings: ${publicUrl}/settings\nUnsubscribe: ${leave}\n\n${SITE_NAME}\n`,
		html: `<!doctype html><html lang="en"><body style="font:16px/1.5 sans-serif;color:#1d1c18;max-width:36em">
<p>Hello ${escapeHtml(member.name)},</p><ul style="padding-left:1.2em">${items.join('')}</ul>
<p style="color:#6b675c;font-size:14px">${why} <a href="${publicUrl}/settings">Settings</a> ·
<a href="${escapeHtml(leave)}">Unsubscribe</a></p><p>${escapeHtml(SITE_NAME)}</p></body></html>`,
		headers: { 'List-Unsubscribe': `<${leave}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
	}
}
