import { isAbsolute, resolve } from 'node:path'
import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { isDomain, plainDomain } from '~/lib/mail-domains.ts'

/** Settings from the environment. All are optional; unknown ones with our prefixes are rejected. */
const flag = z.enum(['true', 'false', '1', '0', '']).transform((text) => text === 'true' || text === '1')
const list = z.string().transform((text) =>
	text
		.split(',')
		.map((part) => part.trim().toLowerCase())
		.filter(Boolean),
)

/** The push services of Chromium, Firefox, Edge and Safari. */
const pushServices = ['fcm.googleapis.com', '*.push.services.mozilla.com', '*.notify.windows.com', '*.push.apple.com']

/** A host, of any subdomain with `*.`, and with a port other than 443. */
const pushHost = /^(\*\.)?[\w.-]+(:\d+)?$/

/** What is often missing in an address with a password. */
const special = 'write special characters of the password as %XX, such as %23 for #'

const settings = z.object({
	PORT: z.coerce.number().int().min(0).max(65535).default(3000),
	HOST: z
		.string()
		.transform((host) => host.replace(/^\[(.*)\]$/, '$1'))
		.default('localhost'),
	DATA_DIR: z.string().default('./data'),
	DATABASE_URL: z
		.string()
		.regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
		// node-postgres also takes `@/` before the name of a database that is reached by a socket.
		.refine(
			(address) => URL.canParse(address.replace('@/', '@socket/')),
			`must be an address such as postgres://user:password@host/database; ${special}`,
		)
		.optional(),
	PUBLIC_URL: z
		.url({ protocol: /^https?$/ })
		.refine(isOrigin, 'must be a scheme and a host, with nothing behind it, such as https://quad.example')
		.optional(),
	TRUST_PROXY: flag.default(false),
	SITE_NAME: z.string().min(1).max(40).default('DevQuad'),
	AUTHOR_NAME: z.string().max(80).default(''),
	AUTHOR_URL: z.union([z.url({ protocol: /^https?$/ }), z.literal('')]).default(''),
	ADMIN_EMAIL: z.union([z.email(), z.literal('')]).default(''),
	SECURITY_CONTACT: z
		.union(
			[z.email(), z.url({ protocol: /^https$/, normalize: true }), z.literal('')],
			'must be an email address or an https:// address',
		)
		.default(''),
	ALLOWED_EMAIL_DOMAINS: list
		.transform((domains) => domains.map(plainDomain))
		.refine((domains) => domains.every(isDomain), 'must be domains, such as campus.example, separated by commas')
		.default([]),
	REQUIRE_EMAIL_VERIFICATION: flag.optional(),
	REQUIRE_STAFF_SECOND_FACTOR: flag.default(false),
	CAMPUS_LOGIN_ONLY: flag.optional(),
	SMTP_URL: z
		.string()
		.regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
		.refine(namesHost, `must be an address such as smtp://user:password@host:587; ${special}`)
		.optional(),
	MAIL_FROM: z
		.string()
		.regex(/[^\s@<]+@[^\s@>]+>?\s*$/, 'must end with an email address, such as Quad <quad@campus.example>')
		.default('DevQuad <no-reply@localhost>'),
	MAIL_BOUNCE_ADDRESS: z
		.email('must be an email address')
		.regex(/^[^+@]{1,20}@/, 'must have at most 20 characters and no plus sign before the @')
		.optional(),
	MAIL_BOUNCE_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
	REDIS_URL: z
		.string()
		.regex(/^rediss?:\/\//, 'must begin with redis://')
		.optional(),
	S3_BUCKET: z.string().optional(),
	S3_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an address such as https://host' }).optional(),
	S3_REGION: z.string().optional(),
	S3_ACCESS_KEY_ID: z.string().optional(),
	S3_SECRET_ACCESS_KEY: z.string().optional(),
	PAGE_CACHE_MB: z.coerce.number().int().min(0).max(4096).default(32),
	WEB_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
	SENTENCE_ENCODER: flag.default(true),
	SEED: z.enum(['demo', 'none']).default('demo'),
	LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
	VAPID_PRIVATE_KEY: z
		.string()
		.regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
		.optional(),
	PUSH_HOSTS: list
		.refine((hosts) => hosts.every((host) => pushHost.test(host)), 'must be host names, separated by commas')
		.default(pushServices),
	WEBHOOK_PRIVATE_ADDRESSES: flag.default(false),
	BACKUP_PASSPHRASE: z.string().min(12, 'must have at least 12 characters').optional(),
	METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
	OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
	OTEL_SERVICE_NAME: z.string().min(1).max(100).default('devquad'),
	OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
	AUTH_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
	NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
})

/** The names of all settings; `NODE_ENV` is set by whatever starts the site. */
export const settingNames: readonly string[] = Object.keys(settings.shape).filter((name) => name !== 'NODE_ENV')

const ours =
	/^(DEVQUAD_|S3_|SMTP_|MAIL_|AUTHOR_|AUTH_|SEED|SITE_|PUBLIC_|TRUST_|SECURITY_|DATABASE_|DATA_|ALLOWED_|REQUIRE_|ADMIN_|PAGE_|PUSH_|VAPID_|BACKUP_|METRICS_|CAMPUS_|WEBHOOK_)/

export type Config = z.infer<typeof settings> & {
	/** Whether members confirm their address before they log in; by default, where mails are sent. */
	REQUIRE_EMAIL_VERIFICATION: boolean
	/** The public address, without a trailing slash. */
	publicUrl: string
	/** The absolute path of the data directory. */
	dataDir: string
	/** Whether the public address is https, and cookies are therefore Secure and `__Host-`. */
	secure: boolean
	/** Settings that the environment contains; others have their defaults. */
	given: ReadonlySet<string>
}

/**
 * Parses an environment.
 * @throws Error with one sentence that names the setting and its error
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
	const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
	for (const name of Object.keys(given)) {
		const meant = name in settings.shape ? undefined : meantBy(name)
		if (meant) throw new Error(`The setting ${name} is not known. Did you mean ${meant}?`)
		if (ours.test(name) && !(name in settings.shape) && !isServiceLink(name, given[name]))
			throw new Error(`The setting ${name} is not known. The README lists all settings.`)
	}
	const parsed = settings.safeParse(given)
	if (!parsed.success) {
		const issue = parsed.error.issues[0]
		throw new Error(`The setting ${String(issue?.path[0])} is not right: ${issue?.message}.`)
	}
	const values = parsed.data
	const publicUrl = values.PUBLIC_URL ? new URL(values.PUBLIC_URL).origin : originOf(values.HOST, values.PORT)
	const dataDir = isAbsolute(values.DATA_DIR) ? values.DATA_DIR : resolve(values.DATA_DIR)
	const REQUIRE_EMAIL_VERIFICATION = values.REQUIRE_EMAIL_VERIFICATION ?? values.SMTP_URL !== undefined
	const secure = publicUrl.startsWith('https:')
	return { ...values, REQUIRE_EMAIL_VERIFICATION, publicUrl, dataDir, secure, given: new Set(Object.keys(given)) }
}

/** The address of the site for a browser on this machine. @param host where it listens; for all networks, `localhost` */
export function originOf(host: string, port: number): string {
	const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
	return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Cookies, links and sockets require that the site is at the root of a host. */
function isOrigin(address: string): boolean {
	// Invalid addresses are rejected separately.
	if (!URL.canParse(address)) return true
	const { pathname, search, hash, username, password } = new URL(address)
	return pathname === '/' && !(search || hash || username || password) && !/[?#]/.test(address)
}

/** Whether a text is an address with a host. One with an unescaped # or / in its password is not. */
function namesHost(address: string): boolean {
	return (URL.parse(address)?.hostname ?? '') !== ''
}

/** Whether Kubernetes or Docker created a variable for a service called `data`, `site` or the like. */
function isServiceLink(name: string, value = ''): boolean {
	return /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP)/.test(name) || /^(tcp|udp):\/\//.test(value)
}

/** The setting that a misspelt variable most likely means. The variables of other programs resemble none of them. */
function meantBy(name: string): string | undefined {
	const plain = plainOf(name)
	return settingNames.find((setting) => isNear(plain, plainOf(setting)))
}

function plainOf(name: string): string {
	return name.replaceAll('_', '').toUpperCase()
}

/** Two letters may be wrong, but only one in a short name: HOST and HOME differ by two. The first letter is rarely wrong. */
function isNear(name: string, setting: string): boolean {
	const steps = distance(name, setting)
	if (steps <= 1) return true
	if (steps > 2 || name[0] !== setting[0]) return false
	const isShort = setting.length <= 5
	return !isShort || [...name].sort().join() === [...setting].sort().join()
}

/** Whether other processes may hold tabs of this site. */
export function hasSeveralProcesses(): boolean {
	const { REDIS_URL, WEB_CONCURRENCY } = config()
	return REDIS_URL !== undefined || WEB_CONCURRENCY > 1
}

let current: Config | undefined

/** The settings of this process, parsed on first use. @throws Error as {@link parseConfig} */
export function config(): Config {
	current ??= parseConfig(process.env)
	return current
}

/** Whether the environment contains this setting, which then overrides what admins save. */
export function isSetInEnvironment(name: keyof Config): boolean {
	return config().given.has(name)
}

/** The environment of this process with some settings replaced, for a child process. */
export function childEnvironment(more: Partial<Record<keyof Config, string>>): NodeJS.ProcessEnv {
	return { ...process.env, ...more }
}
