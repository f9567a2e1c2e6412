import { config } from '~/config.server.ts'
import { unsubscribeUrl } from '~/features/notifications/preferences.server.ts'
import { escapeHtml } from '~/lib/html.ts'
import { counted } from '~/lib/text.ts'
import type { Mail } from '~/platform/mail/mail.server.ts'
import type { UnseenRow } from './away.queries.server.ts'
import { excerptOf } from './excerpt.ts'

/** The mail of what waits for one reader, who is the same in all rows: each conversation, how much, and how it begins. */
export function messagesLetter(rows: UnseenRow[]): Mail {
	const { publicUrl, SITE_NAME } = config()
	const [{ user_id: userId, reader, email }] = rows as [UnseenRow]
	const subject = rows.length === 1 ? headOf(rows[0] as UnseenRow) : `Unread messages from ${rows.length} members`
	const leave = unsubscribeUrl(userId, 'message')
	const why = 'You get this email because messages stayed unread for ten minutes. Each is mentioned once.'
	const items = rows.map((row) => ({
		head: headOf(row),
		said: saidIn(row),
		url: `${publicUrl}/messages/${row.username}`,
	}))
	const texts = items.map(({ head, said, url }) => `${head}\n${said && `${said}\n`}${url}`)
	const lines = items.map(
		({ head, said, url }) =>
			`<li style="margin:0 0 .75em"><a href="${escapeHtml(url)}" style="color:#1c6b4a">${escapeHtml(head)}</a>${said && `<br>${escapeHtml(said)}`}</li>`,
	)
	return {
		to: email,
		subject,
		text: `Hello ${reader},\n\n${texts.join('\n\n')}\n\n${why}\nSettings: ${publicUrl}/settings\nUnsubscribe: ${leave}\n\n${SITE_NAME}\n`,
		html: `<!doctype html><html lang="en"><body style="font:16px/1.5 sans-serif;color:#1d1c18;max-width:36em">
<p>Hello ${escapeHtml(reader)},</p><ul style="padding-left:1.2em">${lines.join('')}</ul>
<p style="color:#6b675c;font-size:14px">${why} <a href="${publicUrl}/settings">Settings</a> ·
<a href="${escapeHtml(leave)}">Unsubscribe</a></p><p>${escapeHtml(SITE_NAME)}</p></body></html>`,
		headers: { 'List-Unsubscribe': `<${leave}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
	}
}

function headOf({ name, count, pending }: UnseenRow): string {
	return pending ? `${name} would like to write to you` : `${counted(count, 'new message')} from ${name}`
}

/** What a stranger says is not passed on before their request is answered. */
function saidIn({ body, pending }: UnseenRow): string {
	return pending ? '' : excerptOf(body)
}
