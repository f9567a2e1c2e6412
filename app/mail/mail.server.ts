import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { type Config, config } from '~/config.server.ts'
import { escapeHtml } from '~/lib/html.ts'
import { log } from '~/lib/log.server.ts'

export interface Mail {
	to: string
	subject: string
	text: string
	html: string
	/** Headers beside those of every mail. */
	headers?: Record<string, string>
}

/** Milliseconds that a mail server may keep us waiting. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/**
 * Sends a mail by SMTP_URL; without that setting, writes it to `mail/*.eml` in the data directory.
 * @throws Error when the SMTP server does not take it; the job that called tries again later
 */
export async function sendMail(
	mail: Mail,
	settings: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'dataDir'> = config(),
): Promise<void> {
	const message = { from: settings.MAIL_FROM, ...mail }
	if (settings.SMTP_URL) {
		const transport = createTransport({ url: settings.SMTP_URL, ...patience })
		try {
			await transport.sendMail(message)
		} finally {
			transport.close()
		}
		return
	}
	const folder = join(settings.dataDir, 'mail')
	await mkdir(folder, { recursive: true, mode: 0o700 })
	const { message: eml } = await createTransport({ streamTransport: true, buffer: true }).sendMail(message)
	const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`)
	await writeFile(file, eml as Buffer, { mode: 0o600 })
	log.info({ file, subject: mail.subject }, 'a mail was written to a file, as SMTP_URL is not set')
}

/**
 * A mail of one paragraph, one link and one closing line, as text and as HTML.
 * @param link what the button is called and where it leads
 */
export function letter(
	to: string,
	subject: string,
	paragraph: string,
	link: { label: string; url: string },
	closing: string,
): Mail {
	const { SITE_NAME } = config()
	return {
		to,
		subject,
		text: `${paragraph}\n\n${link.label}: ${link.url}\n\n${closing}\n\n${SITE_NAME}\n`,
		html: `<!doctype html><html lang="en"><body style="font:16px/1.5 sans-serif;color:#1d1c18;max-width:36em">
<p>${escapeHtml(paragraph)}</p>
<p><a href="${escapeHtml(link.url)}" style="color:#1c6b4a;font-weight:600">${escapeHtml(link.label)}</a></p>
<p>${escapeHtml(closing)}</p><p>${escapeHtml(SITE_NAME)}</p></body></html>`,
	}
}
