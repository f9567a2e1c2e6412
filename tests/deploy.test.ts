import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { parseConfig, settingNames } from '~/config.server.ts'
import { findProgram } from '../scripts/support/programs.ts'

/* deploy/, Dockerfile and compose.yaml are valid for systemd, Docker and the site, and docs/self-hosting.md uses them. */

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const scratch = mkdtempSync(join(tmpdir(), 'devquad-deploy-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Runs a program of systemd. @returns its output @throws Error with the output if it fails */
const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' })
const isRoot = process.getuid?.() === 0

/** The values of this key in a unit. */
const linesOf = (unit: string, name: string) =>
	[...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

test('the waiting room says in one line that its port is taken', async () => {
	const other = createServer().listen(0, '127.0.0.1')
	await once(other, 'listening')
	const port = String((other.address() as AddressInfo).port)
	const { status, stderr } = spawnSync(process.execPath, ['scripts/waiting-room.mjs', '--port', port], {
		cwd: root,
		encoding: 'utf8',
		timeout: 20_000,
	})
	other.close()
	expect([status, stderr]).toEqual([
		1,
		`Port ${port} is taken by another program. Stop that one, or set --port to another number.\n`,
	])
})

describe('systemd', () => {
	const units = ['devquad@.service', 'devquad-waiting-room.service', 'devquad-backup.service']

	test.skipIf(!findProgram('systemd-analyze')).each(units)(
		'%s is understood, and its exposure is below 3 (needs systemd-analyze)',
		(name) => {
			// The site's folder does not exist on this machine.
			const file = join(scratch, name.replace('@', '@3000'))
			writeFileSync(file, read(`deploy/systemd/${name}`).replace('/opt/devquad/releases/current', scratch))
			for (const program of ['/usr/bin/npm', '/usr/bin/node', '/usr/bin/curl'])
				if (!existsSync(program)) writeFileSync(file, readFileSync(file, 'utf8').replaceAll(program, '/bin/true'))
			expect(run('systemd-analyze', 'verify', file)).toBe('')
			const words = run('systemd-analyze', 'security', '--offline=true', '--threshold=29', '--no-pager', file)
			expect(words).toMatch(/Overall exposure level for \S+: [0-2]\.\d/)
		},
	)

	test.skipIf(!findProgram('curl'))(
		'a start waits for the site without a limit, and fails as soon as the site has ended (needs curl)',
		async () => {
			const unit = read('deploy/systemd/devquad@.service')
			expect(linesOf(unit, 'TimeoutStartSec')).toEqual(['infinity'])
			// A failed start is tried again for ever.
			expect(linesOf(unit, 'StartLimitIntervalSec')).toEqual(['0'])
			let requests = 0
			let asked: string | undefined
			const site = createHttpServer(({ headers }, response) => {
				requests += 1
				asked = headers.host
				response.writeHead(requests < 3 ? 503 : 200).end()
			}).listen(0, '127.0.0.1')
			onTestFinished(() => void site.close())
			await once(site, 'listening')
			const { port } = site.address() as AddressInfo
			const [, script = ''] = /^\/bin\/sh -c '(.+)'$/.exec(linesOf(unit, 'ExecStartPost')[0] ?? '') ?? []
			const wait = async (pid: number | undefined, curl = findProgram('curl') ?? '', HOST = '127.0.0.1') => {
				const words = script.replaceAll('/usr/bin/curl', curl).replace('%i', String(port))
				const shell = spawn('/bin/sh', ['-c', words.replaceAll('$$', '$')], {
					// A machine may reach other ones by a proxy only.
					env: { ...process.env, MAINPID: String(pid), HOST, http_proxy: 'http://127.0.0.1:9' },
					stdio: 'ignore',
				})
				return (await once(shell, 'exit'))[0]
			}
			expect([await wait(process.pid), requests]).toEqual([0, 3])
			// A site that listens on one address only never answers at another one.
			expect(asked).toBe(`127.0.0.1:${port}`)
			const [curl, address] = [join(scratch, 'curl'), join(scratch, 'address')]
			writeFileSync(curl, `#!/bin/sh\nfor last; do :; done\necho "$last" > ${address}\n`, { mode: 0o755 })
			for (const [host, name = host] of [
				...['', '0.0.0.0', '::', '[::]'].map((all) => [all, 'localhost'] as const),
				...['localhost', 'node1', '10.0.0.1', '[fd00::1]'].map((one) => [one] as const),
				['fd00::1', '[fd00::1]'] as const,
			]) {
				await wait(process.pid, curl, host)
				expect(readFileSync(address, 'utf8')).toBe(`http://${name}:${port}/readyz\n`)
			}
			const ended = spawnSync('true')
			requests = -10
			expect([await wait(ended.pid), requests]).toEqual([1, -9])
			expect(await wait(process.pid, '/nowhere/curl')).toBe(1)
		},
	)

	test.each(units)('%s sets known settings only, and runs existing files', (name) => {
		const unit = read(`deploy/systemd/${name}`)
		const set = linesOf(unit, 'Environment').flatMap((line) => line.split(' '))
		const env = Object.fromEntries(set.map((one) => one.replace('%i', '3000').split('=') as [string, string]))
		expect(() => parseConfig(env)).not.toThrow()
		expect(Object.keys(env).filter((one) => !settingNames.includes(one))).toEqual(
			name === 'devquad@.service' ? ['NODE_COMPILE_CACHE'] : [],
		)
		for (const [, script = ''] of unit.matchAll(/\/node (scripts\/\S+)/g))
			expect(existsSync(join(root, script))).toBe(true)
		const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
		for (const [, script = ''] of unit.matchAll(/npm run (\S+)/g)) expect(scripts).toHaveProperty(script)
		// The site may write to all folders that it uses.
		const writable = linesOf(unit, 'ReadWritePaths').join(' ')
		for (const [, folder = ''] of unit.matchAll(/(?:DATA_DIR=|COMPILE_CACHE=|--to )(\/\S+)/g))
			expect(
				writable.split(' ').some((path) => folder.startsWith(path)),
				folder,
			).toBe(true)
	})

	test.skipIf(!isRoot || !findProgram('systemd-sysusers') || !findProgram('systemd-tmpfiles'))(
		'account and folders are made as the site needs them (needs root, systemd-sysusers and systemd-tmpfiles)',
		() => {
			for (const kind of ['sysusers', 'tmpfiles']) {
				mkdirSync(join(scratch, 'etc', `${kind}.d`), { recursive: true })
				copyFileSync(join(root, `deploy/systemd/devquad.${kind}`), join(scratch, 'etc', `${kind}.d`, 'devquad.conf'))
			}
			run('systemd-sysusers', `--root=${scratch}`)
			run('systemd-tmpfiles', `--root=${scratch}`, '--create', join(scratch, 'etc/tmpfiles.d/devquad.conf'))
			const [, , uid, , , home = ''] =
				readFileSync(join(scratch, 'etc/passwd'), 'utf8')
					.match(/^devquad.*$/m)?.[0]
					.split(':') ?? []
			const folders = [home, '/var/lib/devquad/data', '/var/backups/devquad']
			for (const folder of folders) expect([folder, String(statSync(join(scratch, folder)).uid)]).toEqual([folder, uid])
			expect(folders.map((folder) => statSync(join(scratch, folder)).mode & 0o777)).toEqual([0o750, 0o700, 0o700])
		},
	)

	test('deploy/devquad.env has only known settings', () => {
		const lines = [...read('deploy/devquad.env').matchAll(/^#?([A-Z_]+)=(.*)$/gm)]
		const env = Object.fromEntries(lines.map(([, name = '', value]) => [name, value]))
		expect(lines.length).toBeGreaterThan(5)
		expect(() => parseConfig(env)).not.toThrow()
	})
})

describe('docs/self-hosting.md', () => {
	const text = read('docs/self-hosting.md')
	const commands = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))

	test('copies existing files, and all files of deploy/systemd', () => {
		const named = commands.flatMap((command) => command.match(/deploy\/\S+/g) ?? [])
		expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
		const listed = execFileSync('ls', [join(root, 'deploy/systemd')], { encoding: 'utf8' })
			.trim()
			.split('\n')
		expect(listed.filter((name) => !named.includes(`deploy/systemd/${name}`))).toEqual([])
	})

	test('runs existing scripts, as the account that the files create', () => {
		const scripts = commands.flatMap((command) => command.match(/scripts\/\S+\.(ts|mjs)/g) ?? [])
		expect(scripts.length).toBeGreaterThan(3)
		expect(scripts.filter((path) => !existsSync(join(root, path)))).toEqual([])
		for (const [, account] of text.matchAll(/sudo -Hu (\S+)/g)) expect(account).toBe('devquad')
	})
})

interface Composed {
	environment: Record<string, string>
	env_file?: string[]
}

describe('the image', () => {
	const dockerfile = read('Dockerfile')
	const stages = dockerfile.split(/^FROM /m).slice(1)
	const last = stages.at(-1) ?? ''
	const ignored = read('.dockerignore').trim().split('\n')

	test('has a build stage and a runtime stage without privileges and build tools', () => {
		expect(stages).toHaveLength(2)
		expect(stages[0]).toMatch(/npm ci --omit=dev[\s\S]*--prepare[\s\S]*npm uninstall --no-save --omit=dev/)
		expect(last).toMatch(/^USER devquad$/m)
		expect(last.indexOf('USER devquad')).toBeLessThan(last.indexOf('CMD'))
		expect(last).not.toMatch(/\bnpm\b|apt-get/)
	})

	test('copies existing files that are part of its context', () => {
		const copied = [...last.matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '))
		const paths = copied.map((path) => path.replace('/app/', ''))
		const made = ['node_modules', 'build']
		for (const path of paths.filter((one) => !made.includes(one))) {
			expect([path, existsSync(join(root, path))]).toEqual([path, true])
			expect(ignored).not.toContain(path)
		}
		// A backup is written into the project's folder by default, and unpacked beside it when it is verified.
		const secrets = ['.env', '.git', 'data', 'devquad-*.tar.zst*', '.devquad-verify-*']
		for (const secret of secrets) expect(ignored).toContain(secret)
	})

	test('and compose.yaml set known settings only', () => {
		const [, env = ''] = /^ENV (.+)$/m.exec(last) ?? []
		const names = env.split(' ').map((one) => one.split('=')[0] ?? '')
		expect(names.filter((name) => name !== 'PATH' && !settingNames.includes(name))).toEqual([])
		const { services } = parse(read('compose.yaml')) as {
			services: { site: Composed; database: { healthcheck: object } }
		}
		expect(Object.keys(services.site.environment).filter((name) => !settingNames.includes(name))).toEqual([])
		const values = Object.entries(services.site.environment).map(([name, value]) => {
			const [, fallback] = /\$\{\w+:-([^}]*)\}/.exec(value) ?? []
			return [
				name,
				fallback ?? value.replace(/^\$\{PUBLIC_URL:.*/, 'https://quad.example').replace(/\$\{[^}]*\}/, 'word'),
			]
		})
		expect(() => parseConfig(Object.fromEntries(values))).not.toThrow()
		expect(services.database.healthcheck).toBeDefined()
	})

	test('gets every setting of .env, and from compose.yaml only what follows from it', () => {
		const { services } = parse(read('compose.yaml')) as { services: { site: Composed } }
		expect(services.site.env_file).toEqual(['.env'])
		// Any other would override what admins save, or what stands in .env.
		const own = ['DATABASE_URL', 'PUBLIC_URL', 'TRUST_PROXY', 'HOST', 'PORT', 'DATA_DIR']
		expect(Object.keys(services.site.environment).sort()).toEqual(own.sort())
		expect(() => parseConfig({ POSTGRES_PASSWORD: 'word' })).not.toThrow()
	})
})
