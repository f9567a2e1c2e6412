import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { originOf, parseConfig, settingNames } from './config.server.ts'

test('every setting is optional', () => {
	const config = parseConfig({})
	expect(config).toMatchObject({
		PORT: 3000,
		SEED: 'demo',
		SITE_NAME: 'DevQuad',
		publicUrl: 'http://localhost:3000',
		secure: false,
	})
	expect(config.dataDir).toMatch(/\/data$/)
})

test.each([
	['a port that is no number', { PORT: 'http' }, /PORT is not right/],
	['a port that is too large', { PORT: '70000' }, /PORT is not right/],
	['an address without a scheme', { PUBLIC_URL: 'quad.example' }, /PUBLIC_URL is not right/],
	['another database', { DATABASE_URL: 'mysql://x' }, /DATABASE_URL is not right: must begin with postgres/],
	[
		'a database whose password has a #',
		{ DATABASE_URL: 'postgres://a:p#x@b.example/quad' },
		/DATABASE_URL .+ %23 for #/,
	],
	['a short secret', { AUTH_SECRET: 'secret' }, /AUTH_SECRET is not right: must have at least 32 characters/],
	['a seed that does not exist', { SEED: 'lots' }, /SEED is not right/],
	['a flag that is neither', { TRUST_PROXY: 'maybe' }, /TRUST_PROXY is not right/],
	['a mail server without a host', { SMTP_URL: 'smtp://' }, /SMTP_URL is not right: must be an address such as/],
	['a password with a #', { SMTP_URL: 'smtp://a:p#x@b.example:587' }, /SMTP_URL is not right: .+ %23 for #/],
	['a sender without an address', { MAIL_FROM: 'Quad' }, /MAIL_FROM is not right: must end with an email address/],
	['a bucket at no address', { S3_ENDPOINT: 'minio.example' }, /S3_ENDPOINT is not right: must be an address such as/],
	['a push service with a scheme', { PUSH_HOSTS: 'https://a.example' }, /PUSH_HOSTS is not right: must be host names/],
	['a setting that nobody knows', { SMTP_ULR: 'smtp://x' }, /SMTP_ULR is not known/],
])('%s is refused in one sentence that names it', (_what, env, message) => {
	expect(() => parseConfig(env)).toThrow(message)
	expect(() => parseConfig(env)).not.toThrow(/\n/)
})

test.each([
	{ SMTP_URL: 'smtps://user%40campus.example:p%23x@mail.campus.example:465?ignoreTLS=true' },
	{ SMTP_URL: 'smtp://user@campus.example:password@[::1]:587' },
	{ DATABASE_URL: 'postgres:///quad?host=/run/postgresql' },
	{ DATABASE_URL: 'postgresql://quad:p%23x@/quad?host=/run/postgresql' },
	{ DATABASE_URL: 'postgres://quad:x@[::1]:5432/quad?sslmode=require' },
	{ MAIL_FROM: 'quad@campus.example' },
	{ MAIL_FROM: '"Quad @ Eastmere" <quad@campus.example> ' },
	{ S3_ENDPOINT: 'http://127.0.0.1:9000' },
	{ PUSH_HOSTS: 'fcm.googleapis.com, *.push.apple.com,127.0.0.1:8443' },
])('%j is accepted', (env) => {
	expect(() => parseConfig(env)).not.toThrow()
})

test('an error does not repeat a secret', () => {
	expect(() => parseConfig({ AUTH_SECRET: 'hunter2' })).not.toThrow(/hunter2/)
})

test('with https the site is secure, and its address has no trailing slash', () => {
	expect(parseConfig({ PUBLIC_URL: 'https://quad.example/' })).toMatchObject({
		publicUrl: 'https://quad.example',
		secure: true,
	})
})

test.each([
	['a path', 'https://campus.example/quad'],
	['a path with a slash', 'https://campus.example/quad/'],
	['a user', 'https://someone@campus.example'],
	['a password', 'https://someone:secret@campus.example'],
	['a query', 'https://campus.example/?a=1'],
	['an empty query', 'https://campus.example/?'],
	['a fragment', 'https://campus.example/#top'],
])('a PUBLIC_URL with %s is refused in one sentence', (_what, PUBLIC_URL) => {
	expect(() => parseConfig({ PUBLIC_URL })).toThrow(
		/^The setting PUBLIC_URL is not right: must be a scheme and a host.*$/,
	)
})

test.each([
	[{ PUBLIC_URL: 'http://localhost:3000/' }, 'http://localhost:3000'],
	[{ PUBLIC_URL: 'https://Campus.example:443' }, 'https://campus.example'],
	[{ HOST: '::' }, 'http://localhost:3000'],
	[{ HOST: '[::]' }, 'http://localhost:3000'],
	[{ HOST: '0.0.0.0' }, 'http://localhost:3000'],
	[{ HOST: '::1' }, 'http://[::1]:3000'],
	[{ HOST: '127.0.0.1' }, 'http://127.0.0.1:3000'],
])('with %j the address is %s', (env, address) => {
	expect(parseConfig(env).publicUrl).toBe(address)
	expect(originOf('2001:db8::7', 80)).toBe('http://[2001:db8::7]:80')
})

const misspelt = [
	['SMPT_URL', 'SMTP_URL'],
	['SMTPURL', 'SMTP_URL'],
	['smtp_url', 'SMTP_URL'],
	['SMTP_URI', 'SMTP_URL'],
	['STMP_URL', 'SMTP_URL'],
	['REDISURL', 'REDIS_URL'],
	['REDIS_URI', 'REDIS_URL'],
	['REDDIS_URL', 'REDIS_URL'],
	['PUBLICURL', 'PUBLIC_URL'],
	['PUBLIC_ULR', 'PUBLIC_URL'],
	['PUBLC_URL', 'PUBLIC_URL'],
	['DATADIR', 'DATA_DIR'],
	['DATA_DIRS', 'DATA_DIR'],
	['DATE_DIR', 'DATA_DIR'],
	['DATABASEURL', 'DATABASE_URL'],
	['DATABSE_URL', 'DATABASE_URL'],
	['TRUSTPROXY', 'TRUST_PROXY'],
	['TRUST_PROXI', 'TRUST_PROXY'],
	['TRUSTED_PROXY', 'TRUST_PROXY'],
	['WEB_CONCURENCY', 'WEB_CONCURRENCY'],
	['WEBCONCURRENCY', 'WEB_CONCURRENCY'],
	['LOGLEVEL', 'LOG_LEVEL'],
	['LOG_LEVL', 'LOG_LEVEL'],
	['PORTS', 'PORT'],
	['PROT', 'PORT'],
	['HSOT', 'HOST'],
	['SEEDS', 'SEED'],
	['SITENAME', 'SITE_NAME'],
	['ADMIN_MAIL', 'ADMIN_EMAIL'],
	['ADMINEMAIL', 'ADMIN_EMAIL'],
	['ALLOWED_EMAIL_DOMAIN', 'ALLOWED_EMAIL_DOMAINS'],
	['REQUIRE_EMAIL_VERIFICATON', 'REQUIRE_EMAIL_VERIFICATION'],
	['AUTHSECRET', 'AUTH_SECRET'],
	['AUTH_SERCET', 'AUTH_SECRET'],
	['S3BUCKET', 'S3_BUCKET'],
	['MAILFROM', 'MAIL_FROM'],
	['PAGE_CACHE_MBS', 'PAGE_CACHE_MB'],
	['VAPID_PRIVAT_KEY', 'VAPID_PRIVATE_KEY'],
]

test.each(misspelt)('%s is refused, and %s is suggested', (name, meant) => {
	expect(() => parseConfig({ [name]: '1' })).toThrow(`The setting ${name} is not known. Did you mean ${meant}?`)
})

// Of a login shell, a desktop, systemd, cron, CI, npm, containers, and of other programs on the same machine.
const ordinary = `HOME PATH USER LOGNAME SHELL TERM LANG LC_ALL PWD OLDPWD MAIL MAILTO EDITOR PAGER LESS HOSTNAME HOSTTYPE OSTYPE
	MACHTYPE TMPDIR TEMP TMP TZ SHLVL DISPLAY XDG_RUNTIME_DIR XDG_DATA_DIRS XDG_DATA_HOME SSH_AUTH_SOCK SSH_CLIENT SSH_TTY SUDO_USER
	INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS STATE_DIRECTORY RUNTIME_DIRECTORY LOGS_DIRECTORY CREDENTIALS_DIRECTORY
	CI GITHUB_ACTIONS RUNNER_TEMP BUILD_ID NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NPM_TOKEN npm_config_loglevel
	npm_config_user_agent npm_lifecycle_event npm_package_name INIT_CWD COLORTERM FORCE_COLOR NO_COLOR DEBUG HTTP_PROXY HTTPS_PROXY
	NO_PROXY http_proxy ALL_PROXY AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AMQP_URL MONGO_URL HTTP_URL LDAP_URL FTP_URL
	PGHOST PGPORT PGDATA PGUSER PGDATABASE REDIS_PORT REDIS_HOST GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL KUBERNETES_SERVICE_HOST
	KUBERNETES_PORT VITE_CONFIG WSL_DISTRO_NAME WINDIR COMPUTERNAME DOCKER_HOST JAVA_HOME GOPATH VIRTUAL_ENV MALLOC_ARENA_MAX
	LD_LIBRARY_PATH MANPATH PS1 HISTFILE IFS RANDOM UID EUID ROWS COLUMNS LINES WATCHPACK_POLLING`

test.each(ordinary.split(/\s+/))('the ordinary variable %s is none of ours', (name) => {
	expect(() => parseConfig({ [name]: '1' })).not.toThrow()
})

test('a service address that Docker names with a prefix of our settings is no setting', () => {
	const links = { DATA_PORT: 'tcp://10.0.0.7:80', DATA_SERVICE_HOST: '10.0.0.7', SITE_PORT_80_TCP_ADDR: '10.0.0.7' }
	expect(() => parseConfig(links)).not.toThrow()
	expect(() => parseConfig({ SMTP_PORT: '587' })).toThrow(/SMTP_PORT is not known/)
})

test('domains are a list, lower-cased', () => {
	expect(parseConfig({ ALLOWED_EMAIL_DOMAINS: ' Eastmere.example, b.example ' }).ALLOWED_EMAIL_DOMAINS).toEqual([
		'eastmere.example',
		'b.example',
	])
})

test('domains may be entered with the prefixes of an address, and nothing else', () => {
	const written = '@eastmere.example, *.b.example, *@c.example'
	expect(parseConfig({ ALLOWED_EMAIL_DOMAINS: written }).ALLOWED_EMAIL_DOMAINS).toEqual([
		'eastmere.example',
		'b.example',
		'c.example',
	])
	for (const wrong of ['https://eastmere.example', 'mira@eastmere.example', 'a.example; b.example'])
		expect(() => parseConfig({ ALLOWED_EMAIL_DOMAINS: wrong })).toThrow(
			/ALLOWED_EMAIL_DOMAINS is not right: must be domains/,
		)
})

test.each([
	['README.md', /^\| (`[A-Z].*?) \|/gm],
	['.env.example', /^#([A-Z][A-Z0-9_]*)=/gm],
])('%s lists every setting and no other', (file, entry) => {
	const entries = [...readFileSync(file, 'utf8').matchAll(entry)].map(([, names]) => names ?? '')
	const listed = entries.flatMap((names) => names.match(/[A-Z][A-Z0-9_]+/g) ?? [])
	expect(listed.toSorted()).toEqual([...settingNames].sort())
})
