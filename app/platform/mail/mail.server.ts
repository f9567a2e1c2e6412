import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transporter } from 'nodemailer'
import { type Config, config } from '~/config.server.ts'
import { cleanLine } from '~/lib/clean.ts'
import { escapeHtml } from '~/lib/html.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { MAIL_LOGO } from '~/platform/appearance/icons.server.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'

export interface Mail {
	to: string
	subject: string
	text: string
	html: string
	/** Headers besides those of every mail. */
	headers?: Record<string, string>
	/** A link whose validity begins when the mail is sent, by a kind of `mailedLinks`; it is not sent itself. */
	link?: { kind: string; token: string }
	/** For convenience only: neither requested by the reader nor something they must know. It is not sent to addresses with delivery problems. */
	optional?: boolean
	/** The envelope sender, where undeliverable mail returns to; by default the address of MAIL_FROM. */
	returnPath?: string
}

/** A mail server's permanent refusal of a mail. */
export interface MailRefusal {
	/** The SMTP code, such as 550. */
	code: number
	/** The server's message. It may name the address, and must not be logged. */
	answer: string
	/** The recipient was refused, before the server saw the mail itself. */
	isOfRecipient: boolean
}

const countMail = counter(
	'devquad_mails_total',
	'Mails: sent by the mail server, failed there for now, refused for good, or written to a file.',
	['outcome'],
)

/** Loaded for the first mail, as it would slow down every start. */
const nodemailer = () => import('nodemailer')

/** Milliseconds until a mail is with the mail server: one that replies very slowly would otherwise block a job forever. */
const MAX_SENDING_MS = 60_000
/**
 * Milliseconds for the reply to a whole mail, in which a server may scan it. A server that is given up has often accepted the mail,
 * which the retry sends again. So it gets as long as SMTP demands (RFC 5321, 4.5.3.2.6).
 */
const MAX_TAKING_MS = 10 * 60_000
/** Milliseconds for parts of it. Some servers delay their greeting against spam; connecting and that share one limit. */
const SMTP_TIMEOUTS = {
	dnsTimeout: 10_000,
	connectionTimeout: 30_000,
	greetingTimeout: 30_000,
	socketTimeout: MAX_TAKING_MS,
}
/** The same for a mail whose sender waits for the result. */
const TRIAL_TIMEOUTS = { dnsTimeout: 8_000, connectionTimeout: 8_000, greetingTimeout: 8_000, socketTimeout: 15_000 }
/** Maximum characters of a mail server's message that are shown. */
const MAX_ANSWER = 300
/**
 * Connections to the mail server. The job worker runs as many jobs of mails at a time, so that none spends its time limit on waiting for a
 * connection. Microsoft 365 refuses a fourth.
 */
export const MAX_MAIL_CONNECTIONS = 3
/** Connections are kept open for some mails. A firewall may forget one that is idle for longer. */
const POOL = { pool: true, maxConnections: MAX_MAIL_CONNECTIONS, maxMessages: 100, idleTimeout: 30_000 } as const
/** Maximum mails that are stored as files; the newest are kept. */
const MAX_FILES = 1_000

type MailSettings = Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>

/**
 * Sends a mail by SMTP_URL; without that setting, writes it to `mail/*.eml` in the data directory. A mail that the server refuses
 * permanently, such as for a missing mailbox, is not retried: retries would only harm the site's reputation.
 * @param withinMs milliseconds until the mail is with the server, for tests
 * @returns the refusal of such a mail; null for an accepted one
 * @throws Error when the SMTP server does not accept it now; the job retries later
 */
export async function sendMail(
	mail: Mail,
	settings: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'dataDir'> = config(),
	withinMs = MAX_SENDING_MS,
): Promise<MailRefusal | null> {
	const message = messageOf(mail, settings)
	if (settings.SMTP_URL) {
		try {
			await sendInTime(await transportOf(settings.SMTP_URL), message, withinMs)
			countMail({ outcome: 'sent' })
			return null
		} catch (error) {
			const refusal = permanentRefusal(error)
			countMail({ outcome: refusal ? 'refused' : 'failed' })
			if (!refusal) throw error
			log.warn({ code: refusal.code }, 'the mail server refused a mail permanently; it is not retried')
			return refusal
		}
	}
	const folder = join(settings.dataDir, 'mail')
	await mkdir(folder, { recursive: true, mode: 0o700 })
	const { createTransport } = await nodemailer()
	const { message: eml } = await createTransport({ streamTransport: true, buffer: true }).sendMail(message)
	const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`)
	try {
		await writeFile(file, eml as Buffer, { mode: 0o600 })
	} catch (error) {
		// On a full disk, each attempt would otherwise leave a truncated file.
		await rm(file, { force: true })
		throw error
	}
	countMail({ outcome: 'written' })
	log.info({ file, subject: mail.subject }, 'a mail was written to a file, as SMTP_URL is not set')
	return null
}

/** Sends a mail, and gives up a server that takes too long. @throws Error */
async function sendInTime(transport: Transporter, message: object, withinMs: number): Promise<void> {
	// Ends the connection, too: otherwise the mail would arrive twice, now and by the retry.
	const ending = new AbortController()
	const endAfter = (milliseconds: number) => setTimeout(() => ending.abort(milliseconds), milliseconds)
	let timer = endAfter(withinMs)
	const onWhole = () => {
		clearTimeout(timer)
		timer = endAfter(MAX_TAKING_MS)
	}
	try {
		await transport.sendMail({ ...message, signal: ending.signal, onWhole } as object)
	} catch (error) {
		if (!ending.signal.aborted || permanentRefusal(error)) throw error
		const seconds = ending.signal.reason / 1_000
		throw new Error(`The mail server took longer than ${seconds} s for one mail.`, { cause: error })
	} finally {
		clearTimeout(timer)
	}
}

/** The mail in nodemailer's format. */
function messageOf({ to, subject, text, html, headers, returnPath }: Mail, { MAIL_FROM }: MailSettings) {
	const envelope = returnPath === undefined ? {} : { envelope: { from: returnPath, to } }
	return { from: MAIL_FROM, to, subject, text, html, headers, ...envelope }
}

/**
 * Sends a mail at once, on a new connection, without retries.
 * @param mail null only logs in
 * @returns the mail server's reply; '' for a login alone
 * @throws Error, which {@link describeMailError} explains
 */
export async function tryMail(
	mail: Pick<Mail, 'to' | 'subject' | 'text'> | null,
	{ SMTP_URL, MAIL_FROM }: MailSettings = config(),
): Promise<string> {
	const { createTransport } = await nodemailer()
	const transport = createTransport({ url: SMTP_URL, requireTLS: needsTls(SMTP_URL), ...TRIAL_TIMEOUTS })
	try {
		if (!mail) return await transport.verify().then(() => '')
		const { response } = await transport.sendMail({ from: MAIL_FROM, ...mail })
		return cleanLine(response).slice(0, MAX_ANSWER)
	} finally {
		transport.close()
	}
}

/** Explains an error of the mail server to whoever runs the site, with the server's own message. */
export function describeMailError(error: unknown): string {
	const { code, message } = error as { code?: unknown; message?: unknown }
	const meant = (typeof code === 'string' && mailFaults[code]) || 'Mail does not work.'
	const reply = cleanLine(String(message || code)).slice(0, MAX_ANSWER)
	return `${meant} The mail server, or the way to it, says: ${reply.replace(/\.$/, '')}.`
}

const mailFaults: Record<string, string> = {
	EAUTH: 'The mail server refuses the name and password in SMTP_URL.',
	EDNS: 'The host in SMTP_URL is not in DNS.',
	ENOTFOUND: 'The host in SMTP_URL is not in DNS.',
	ETLS: 'The mail server offers no TLS, or it failed. Without TLS, a password is only sent with ?ignoreTLS=true in SMTP_URL.',
	ECONNECTION: 'Nobody answers at the host and port of SMTP_URL.',
	ESOCKET: 'No connection to the mail server, or no TLS. Use smtps:// for port 465, smtp:// for 587 and 25.',
	ETIMEDOUT: 'The mail server does not answer in time. Many hosts block port 25; 465 and 587 are for sending.',
	ECONNREFUSED: 'No mail server listens at the host and port of SMTP_URL.',
	EENVELOPE: 'The mail server refuses the sender (MAIL_FROM) or the recipient.',
	EMESSAGE: 'The mail server refuses the mail.',
}

const state = remember<{ url?: string; transport?: Transporter }>('mail', () => ({}))

/** The pooled connections to the mail server, so that a hundred mails need one login. */
async function transportOf(url: string): Promise<Transporter> {
	const { createTransport } = await nodemailer()
	if (state.url !== url) closeMail()
	state.url = url
	if (!state.transport) {
		state.transport = createTransport({ url, requireTLS: needsTls(url), ...POOL, ...SMTP_TIMEOUTS })
		state.transport.use('stream', ({ data, message }, done) => {
			message.processFunc((contents) => contents.on('end', (data as { onWhole: () => void }).onWhole))
			done()
		})
	}
	return state.transport
}

/**
 * Whether the connection must be encrypted: with a password, unless the server is on this machine. By default STARTTLS is used where it is
 * offered, and somebody on the way can remove the offer.
 */
function needsTls(url = 'smtp://localhost'): boolean {
	const { hostname, password, searchParams } = new URL(url)
	return password !== '' && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) && !searchParams.has('ignoreTLS')
}

/** Closes the connections to the mail server; the next mail opens new ones. */
export function closeMail(): void {
	state.transport?.close()
	state.transport = undefined
}

/**
 * The server's permanent refusal of this recipient or mail; null for other errors. A refused login or sender is not permanent: a
 * setting can fix it.
 */
function permanentRefusal(error: unknown): MailRefusal | null {
	const {
		code,
		command,
		responseCode = 0,
		response = '',
	} = error as Partial<Record<string, string>> & { responseCode?: number }
	const isOfRecipient = code === 'EENVELOPE' && command === 'RCPT TO'
	if (responseCode < 500 || !(isOfRecipient || code === 'EMESSAGE')) return null
	return { code: responseCode, answer: response, isOfRecipient }
}

/** Removes mails stored as files: those older than `days`, and all but the newest 1,000. @returns how many */
export async function sweepMails(days: number, { dataDir }: Pick<Config, 'dataDir'> = config()): Promise<number> {
	const folder = join(dataDir, 'mail')
	// File names begin with the time in ISO 8601 (with other colons), so order by name is order by time.
	const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
	const oldest = new Date(Date.now() - days * 86_400_000).toISOString().replaceAll(':', '-')
	const removed = names.filter((name, index) => name < oldest || index < names.length - MAX_FILES)
	for (const name of removed) await rm(join(folder, name), { force: true })
	return removed.length
}

/** Removes mails stored as files whose text matches a regular expression, ignoring case. */
export async function removeMailsNaming(
	pattern: string,
	{ dataDir }: Pick<Config, 'dataDir'> = config(),
): Promise<void> {
	const folder = join(dataDir, 'mail')
	const matching = new RegExp(pattern, 'i')
	for (const name of await readdir(folder).catch(() => [])) {
		const written = await readFile(join(folder, name), 'utf8').catch(() => '')
		if (matching.test(decoded(written))) await rm(join(folder, name), { force: true })
	}
}

/** The text of a mail that this site wrote, with MIME encodings removed; letters outside ASCII may be wrong. */
function decoded(mail: string): string {
	const ofBase64 = (text: string) => Buffer.from(text, 'base64').toString('latin1')
	return mail
		.replace(/(?<=\?=)\r?\n (?==\?UTF-8\?)/gi, '')
		.replace(/=\?UTF-8\?B\?([\w+/=]*)\?=/gi, (_, word) => ofBase64(word))
		.replace(/=\?UTF-8\?Q\?(.*?)\?=/gi, '$1')
		.replace(/(?<=^Content-Transfer-Encoding: base64\r?\n\r?\n)(?:[\w+/=]+\r?\n?)+/gim, ofBase64)
		.replace(/=\r?\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

/**
 * A mail of one paragraph, one link and one closing line, as text and as HTML.
 * @param link the label of the button, and its address
 */
export function linkMail(
	to: string,
	subject: string,
	paragraph: string,
	link: { label: string; url: string },
	closing: string,
): Mail {
	return {
		to,
		subject,
		text: `${paragraph}\n\n${link.label}: ${link.url}\n\n${closing}\n\n${siteName()}\n`,
		html: mailPage(
			`<p>${escapeHtml(paragraph)}</p>
<p><a href="${escapeHtml(link.url)}" class="button">${escapeHtml(link.label)}</a></p>
<p>${escapeHtml(closing)}</p>`,
		),
	}
}

/** The colours of ui/tokens.css that mails use. */
const colours = {
	light: { paper: '#faf8f2', ink: '#1d1c18', quiet: '#6a665a', rule: '#1d1c18', line: '#e2ddd0' },
	dark: { paper: '#161714', ink: '#ece9e0', quiet: '#9a9689', rule: '#86837a', line: '#2c2f29' },
}

/**
 * The HTML of a mail in the looks of the site's pages, in both themes: its content below the site's logo or name. Without its style sheet,
 * which some mail programs remove, it is plain text with links.
 * @param content may use the classes `button` of a link and `quiet` of a paragraph
 */
export function mailPage(content: string): string {
	const { logo, style } = siteAppearance()
	const name = escapeHtml(siteName())
	const brand = logo
		? `<img src="${config().publicUrl}${MAIL_LOGO}?v=${style?.version}" alt="${name}" height="24">`
		: name
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><style>
body{margin:0}
.page{padding:24px 16px 40px;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
.page>div{max-width:36em;margin:0 auto}
.brand{margin:0 0 24px;padding-bottom:12px;border-bottom:1px solid;font-size:17px;font-weight:700}
ul{margin:0 0 24px;padding:0;list-style:none}
li{padding:12px 0;border-bottom:1px solid}
.button{display:inline-block;padding:10px 18px;border-radius:4px;font-weight:600;text-decoration:none}
.quiet{font-size:14px}
${themeCss('light')}
@media(prefers-color-scheme:dark){${themeCss('dark')}}
</style></head><body><div class="page"><div><p class="brand">${brand}</p>
${content}</div></div></body></html>`
}

function themeCss(theme: 'light' | 'dark'): string {
	const { accents, onAccents } = siteAppearance()
	const { paper, ink, quiet, rule, line } = colours[theme]
	return `body,.page{background:${paper};color:${ink}}.brand{border-color:${rule}}li{border-color:${line}}.quiet{color:${quiet}}a{color:${accents[theme]}}a.button{background:${accents[theme]};color:${onAccents[theme]}}`
}
