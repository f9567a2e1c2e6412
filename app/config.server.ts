import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'

/** What the environment may say. Each setting is optional; unknown ones under our prefixes are refused. */
const flag = z.enum(['true', 'false', '1', '0', '']).transform((text) => text === 'true' || text === '1')
const list = z.string().transform((text) =>
	text
		.split(',')
		.map((part) => part.trim().toLowerCase())
		.filter(Boolean),
)

/** The push services of Chrome and what is made of it, Firefox, Edge, and Safari. */
const pushServices = ['fcm.googleapis.com', '*.push.services.mozilla.com', '*.notify.windows.com', '*.push.apple.com']

const settings = z.object({
	PORT: z.coerce.number().int().min(0).max(65535).default(3000),
	HOST: z.string().default('localhost'),
	DATA_DIR: z.string().default('./data'),
	DATABASE_URL: z
		.string()
		.regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
		.optional(),
	PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
	TRUST_PROXY: flag.default(false),
	SITE_NAME: z.string().min(1).max(40).default('DevQuad'),
	AUTHOR_NAME: z.string().max(80).default(''),
	AUTHOR_URL: z.union([z.url({ protocol: /^https?$/ }), z.literal('')]).default(''),
	ADMIN_EMAIL: z.union([z.email(), z.literal('')]).default(''),
	ALLOWED_EMAIL_DOMAINS: list.default([]),
	REQUIRE_EMAIL_VERIFICATION: flag.optional(),
	SMTP_URL: z
		.string()
		.regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
		.optional(),
	MAIL_FROM: z.string().default('DevQuad <no-reply@localhost>'),
	REDIS_URL: z
		.string()
		.regex(/^rediss?:\/\//, 'must begin with redis://')
		.optional(),
	S3_BUCKET: z.string().optional(),
	S3_ENDPOINT: z.string().optional(),
	S3_REGION: z.string().optional(),
	S3_ACCESS_KEY_ID: z.string().optional(),
	S3_SECRET_ACCESS_KEY: z.string().optional(),
	PAGE_CACHE_MB: z.coerce.number().int().min(0).max(4096).default(32),
	WEB_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
	SEED: z.enum(['demo', 'none']).default('demo'),
	LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
	VAPID_PRIVATE_KEY: z
		.string()
		.regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
		.optional(),
	PUSH_HOSTS: list.default(pushServices),
	AUTH_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
	NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
})

/** Every setting's name; `NODE_ENV` is set by what starts the site. */
export const settingNames: readonly string[] = Object.keys(settings.shape).filter((name) => name !== 'NODE_ENV')

const ours =
	/^(DEVQUAD_|S3_|SMTP_|MAIL_|AUTHOR_|AUTH_|SEED|SITE_|PUBLIC_|TRUST_|DATABASE_|DATA_|ALLOWED_|REQUIRE_|ADMIN_|PAGE_|PUSH_|VAPID_)/

export type Config = z.infer<typeof settings> & {
	/** Whether members confirm their address before they log in; unless it is said, they do where mails are sent. */
	REQUIRE_EMAIL_VERIFICATION: boolean
	/** The address people type, without a slash at the end. */
	publicUrl: string
	/** The absolute path of everything the site keeps. */
	dataDir: string
	/** Whether the public address is https, and cookies are therefore Secure and `__Host-`. */
	secure: boolean
}

/**
 * Reads the settings from an environment.
 * @throws Error with one sentence that names the setting and what is wrong with it.
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
	const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
	const unknown = Object.keys(given).find((name) => ours.test(name) && !(name in settings.shape))
	if (unknown) throw new Error(`The setting ${unknown} is not known. The README lists all settings.`)
	const parsed = settings.safeParse(given)
	if (!parsed.success) {
		const issue = parsed.error.issues[0]
		throw new Error(`The setting ${String(issue?.path[0])} is not right: ${issue?.message}.`)
	}
	const values = parsed.data
	const publicUrl = (
		values.PUBLIC_URL ?? `http://${values.HOST === '0.0.0.0' ? 'localhost' : values.HOST}:${values.PORT}`
	).replace(/\/+$/, '')
	const dataDir = isAbsolute(values.DATA_DIR) ? values.DATA_DIR : resolve(values.DATA_DIR)
	const REQUIRE_EMAIL_VERIFICATION = values.REQUIRE_EMAIL_VERIFICATION ?? values.SMTP_URL !== undefined
	return { ...values, REQUIRE_EMAIL_VERIFICATION, publicUrl, dataDir, secure: publicUrl.startsWith('https:') }
}

/** Whether there are, or may be, other processes that hold tabs of this site. */
export function isOneOfSeveral({ REDIS_URL, WEB_CONCURRENCY }: Config = config()): boolean {
	return REDIS_URL !== undefined || WEB_CONCURRENCY > 1
}

let current: Config | undefined

/** The settings of this process, parsed on first use. @throws Error as {@link parseConfig} does. */
export function config(): Config {
	current ??= parseConfig(process.env)
	return current
}
