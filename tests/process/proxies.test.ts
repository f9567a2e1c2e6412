import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../scripts/support/free-ports.ts'
import { findProgram } from '../../scripts/support/programs.ts'
import { makeCertificate } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { CHILD_ENV, type SiteProcess, startSite } from '../support/site-process.ts'

/*
 * The nginx and Caddy configurations of docs/self-hosting.md, unchanged except for names, ports and the certificate, in front of a running
 * site; and what `npm run doctor` reports about them, also if a line is missing.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const document = readFileSync(join(root, 'docs/self-hosting.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'devquad-proxies-'))
const dataDir = join(folder, 'data')
const [certFile, keyFile] = [join(folder, 'quad.pem'), join(folder, 'quad.key')]
/** A Caddy that is not on the PATH can be set in the environment. */
const [nginx, caddy] = [findProgram('nginx'), process.env.CADDY ?? findProgram('caddy')]
let site: SiteProcess
let port = 0
/** The waiting room's port, where a test uses one. */
let room = 0
let proxy: ChildProcess | undefined

/** The code block of the document in this language. */
function textOf(language: string): string {
	const [, text] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(document) ?? []
	if (!text) throw new Error(`The document has no text for ${language}.`)
	return text
}

/** Replaces what depends on the machine. Each replacement must match, so that the rest is tested verbatim. */
function adapted(text: string, replacements: [string, string][]): string {
	for (const [from] of replacements) expect(text).toContain(from)
	return replacements.reduce((made, [from, to]) => made.replaceAll(from, to), text)
}

beforeAll(async () => {
	mkdirSync(dataDir, { recursive: true, mode: 0o700 })
	const { cert, key } = makeCertificate()
	writeFileSync(certFile, cert)
	writeFileSync(keyFile, key)
	port = await freePort()
	room = await freePort()
	site = await startSite({ ...settings(), PORT: String(await freePort()) })
})

const settings = () => ({ DATA_DIR: dataDir, SEED: 'none', PUBLIC_URL: `https://localhost:${port}`, TRUST_PROXY: '1' })

afterEach(async () => {
	if (proxy && proxy.exitCode === null) {
		proxy.kill('SIGTERM')
		await once(proxy, 'exit')
	}
	proxy = undefined
})

afterAll(async () => {
	await site?.stop()
	rmSync(folder, { recursive: true, force: true })
})

/** A request through the proxy, which has a certificate of the test. */
function ask(
	path: string,
	{ method = 'GET', body = '', headers = {} }: { method?: string; body?: string; headers?: object } = {},
) {
	return new Promise<{ status: number; cookies: string[]; text: string }>((resolve, reject) => {
		const sent = request(
			{ host: 'localhost', port, path, method, headers: { ...headers }, rejectUnauthorized: false },
			(answer) => {
				let text = ''
				answer.setEncoding('utf8')
				answer.on('data', (chunk) => (text += chunk))
				answer.on('end', () =>
					resolve({ status: answer.statusCode ?? 0, cookies: answer.headers['set-cookie'] ?? [], text }),
				)
			},
		)
		sent.on('error', reject)
		sent.end(body)
	})
}

/** `npm run doctor`, which trusts the certificate. @returns its output about the address and the proxy */
function doctor(): string {
	const env = { ...CHILD_ENV, ...settings(), NODE_EXTRA_CA_CERTS: certFile, LOG_LEVEL: 'silent' }
	const args = ['--import', './scripts/support/alias.mjs', 'scripts/doctor.ts']
	let words = ''
	try {
		words = execFileSync(process.execPath, args, {
			cwd: root,
			env,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'pipe'],
		})
	} catch (error) {
		// It exits with 1, as mail is not set up and push services are unreachable.
		words = (error as { stdout: string }).stdout
	}
	expect(words).toMatch(/✓ Database: |✗ Database: fsync is off/)
	return words
		.split('\n')
		.filter((line) => /PUBLIC_URL|Proxy/.test(line))
		.join('\n')
}

async function answers(): Promise<void> {
	await eventually(async () => expect((await ask('/readyz')).text).toBe('ready'))
}

/** Reading, logging in and uploading through a proxy. */
async function serves(): Promise<void> {
	expect((await ask('/forum')).status).toBe(200)
	const form = new URLSearchParams({
		name: 'Mira Vale',
		email: 'mira@campus.example',
		password: 'a lantern at the ford',
		confirmPassword: 'a lantern at the ford',
	})
	const headers = { Origin: `https://localhost:${port}`, 'Content-Type': 'application/x-www-form-urlencoded' }
	// The second proxy finds the account made through the first.
	await ask('/register', { method: 'POST', body: form.toString(), headers })
	const login = await ask('/login', { method: 'POST', body: form.toString(), headers })
	expect([login.status, login.cookies.join()]).toEqual([303, expect.stringMatching(/__Host-session=.*Secure/)])
	expect(
		(
			await ask('/theme', {
				method: 'POST',
				body: 'theme=dark',
				headers: { ...headers, Origin: 'https://other.example' },
			})
		).status,
	).toBe(403)
	// The site itself rejects 7 MB for this form; a proxy's error page would look different.
	const large = await ask('/theme', { method: 'POST', body: 'x'.repeat(7_000_000), headers })
	expect([large.status, large.text]).toEqual([413, expect.stringContaining('The limit is')])
}

describe.skipIf(!nginx)('nginx (needs nginx)', () => {
	/** @param change modifies the document's configuration */
	async function start(change: (text: string) => string = (text) => text): Promise<void> {
		const own = adapted(textOf('nginx'), [
			['127.0.0.1:2999', `127.0.0.1:${room}`],
			['127.0.0.1:3000', new URL(site.url).host.replace('localhost', '127.0.0.1')],
			['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
			['quad.campus.example', 'localhost'],
			['/etc/ssl/quad.pem', certFile],
			['/etc/ssl/quad.key', keyFile],
		]).replaceAll('X-Forwarded-Host  $host', 'X-Forwarded-Host  $http_host')
		const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
			.map((name) => `${name}_temp_path ${join(folder, name)};`)
			.join('\n')
		const isRoot = process.getuid?.() === 0
		const file = join(folder, 'nginx.conf')
		writeFileSync(
			file,
			`${isRoot ? 'user root;' : ''}\npid ${join(folder, 'nginx.pid')};\nevents {}\nhttp {\naccess_log off;\n${temp}\n${change(own)}\n}\n`,
		)
		const args = ['-c', file, '-e', join(folder, 'nginx.log'), '-p', folder]
		execFileSync(nginx ?? '', ['-t', '-q', ...args], { stdio: 'pipe' })
		proxy = spawn(nginx ?? '', [...args, '-g', 'daemon off;'], { stdio: 'ignore' })
		await answers()
	}

	test('the documented configuration serves pages, forms, uploads and sockets, and passes the doctor', async () => {
		await start()
		await serves()
		expect(doctor()).toMatch(
			/✓ PUBLIC_URL: The site answers at .*, and the proxy says rightly who asks\.\n✓ Proxy: WebSockets get through\./,
		)
	})

	test('requests during a restart wait in the waiting room, and are answered', async () => {
		const node = new URL(site.url).port
		const args = ['scripts/waiting-room.mjs', '--port', String(room), '--node', node]
		const waitingRoom = spawn(process.execPath, args, { cwd: root, stdio: 'ignore', env: {} })
		try {
			await start()
			await site.stop()
			const headers = { Origin: `https://localhost:${port}`, 'Content-Type': 'application/x-www-form-urlencoded' }
			const early = [ask('/forum'), ask('/theme', { method: 'POST', body: 'theme=dark&redirectTo=%2Fforum', headers })]
			const statuses = Promise.all(early).then((answers) => answers.map(({ status }) => status))
			site = await startSite({ ...settings(), PORT: node })
			expect(await statuses).toEqual([200, 303])
		} finally {
			waitingRoom.kill()
		}
	})

	test.each([
		[
			'X-Forwarded-For and Upgrade',
			/.*(X-Forwarded-For|Upgrade {2}).*/g,
			'',
			['passes on what a client claims', 'WebSockets do not get through'],
		],
		[
			'X-Forwarded-Proto',
			/.*X-Forwarded-Proto.*/g,
			'',
			['The site takes requests to https://localhost:\\d+ for http://localhost'],
		],
	])('without %s the doctor says so', async (_what, line, replacement, words) => {
		await start((text) => text.replace(line, replacement))
		const said = doctor()
		for (const one of words) expect(said).toMatch(new RegExp(`✗ Proxy: .*${one}`))
	})
})

describe.skipIf(!caddy)('Caddy (needs caddy)', () => {
	test('the documented configuration serves pages, forms, uploads and sockets, and passes the doctor', async () => {
		const own = adapted(textOf('caddy'), [
			['quad.campus.example {', `https://localhost:${port} {\n\ttls ${certFile} ${keyFile}`],
			['localhost:3000', new URL(site.url).host],
		])
		const file = join(folder, 'Caddyfile')
		writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${own}`)
		const env = { ...CHILD_ENV, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
		proxy = spawn(caddy ?? '', ['run', '--config', file, '--adapter', 'caddyfile'], { stdio: 'ignore', env })
		await answers()
		await serves()
		expect(doctor()).toMatch(/✓ PUBLIC_URL: The site answers at .*\n✓ Proxy: WebSockets get through\./)
	})
})
