import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../scripts/support/free-ports.ts'
import { descendants, processesOf, signalAll, stillRunning } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { CHILD_ENV, makeDataDir } from '../support/site-process.ts'
import { makeSites } from '../support/sites.ts'

/* `npm start` in a terminal and as a service: signals, and restarts after the site was killed. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const { newDataDir } = makeSites({})
const started: number[] = []

afterEach(() => {
	for (const pid of started.splice(0))
		signalAll(
			descendants(pid).map((one) => one.pid),
			'SIGKILL',
		)
})

/** @param command npm, or the command that npm runs @param errors where standard error goes */
async function run(command: string[], env: Record<string, string> = {}, errors: 'pipe' | number = 'pipe') {
	const dataDir = newDataDir()
	const port = String(await freePort())
	const [program = '', ...args] = command
	// In a terminal it is a first start.
	if (program !== 'npm') await makeDataDir(dataDir, 'none')
	const child = spawn(program, args, {
		cwd: root,
		stdio: ['ignore', 'pipe', errors],
		env: { ...CHILD_ENV, SEED: 'none', DATA_DIR: dataDir, PORT: port, ...env },
	})
	started.push(child.pid ?? 0)
	let output = ''
	for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
	const ended = once(child, 'exit')
	const site = () => descendants(child.pid ?? 0).find((one) => one.command.includes('server/main.js'))?.pid ?? 0
	const serves = (times = 1) => eventually(() => expect(output.split('Press Ctrl-C').length - 1).toBe(times))
	return { child, dataDir, port, output: () => output, ended, site, serves }
}

const script = [process.execPath, 'scripts/start.mjs']

test.each([
	['npm', 'SIGTERM', ['npm', 'start'], 'localhost', ['127.0.0.1', '[::1]', 'localhost'], 'http://localhost'],
	['the script that npm runs', 'SIGTERM', script, '::', ['127.0.0.1', '[::1]'], 'http://localhost'],
	['the script that npm runs', 'SIGHUP', script, '::1', ['[::1]'], 'http://[::1]'],
] as const)(
	'%s passes %s on: the site and its PostgreSQL end in order, and no process is left; it answers where HOST says, and names that address',
	async (_what, signal, command, HOST, addresses, own) => {
		const { child, dataDir, port, output, ended, serves } = await run([...command], { HOST })
		await serves()
		expect(output()).toContain(`is ready:  ${own}:${port}\n`)
		for (const address of addresses) {
			const answer = await fetch(`http://${address}:${port}/find-dev`)
			expect([address, answer.status]).toEqual([address, 200])
		}
		const all = descendants(child.pid ?? 0).map(({ pid }) => pid)
		expect(all.length).toBeGreaterThan(1)
		child.kill(signal)
		await ended
		await eventually(() => expect([stillRunning(all), processesOf(join(dataDir, 'postgres'))]).toEqual([[], []]))
		// PostgreSQL removes it on an orderly stop only.
		expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
	},
)

test('a site that was killed is restarted with a log line; one that was stopped is not', async () => {
	const { child, port, output, ended, site, serves } = await run(script)
	await serves()
	const first = site()
	process.kill(first, 'SIGKILL')
	await serves(2)
	expect(output()).toContain('The site was killed by SIGKILL and is started again in 0.25 s.\n')
	expect((await fetch(`http://localhost:${port}/forum`)).status).toBe(200)
	expect(site()).not.toBe(first)
	process.kill(site(), 'SIGTERM')
	expect(await ended).toEqual([0, null])
	expect(child.exitCode).toBe(0)
})

test.runIf(existsSync('/dev/full'))('a site whose log is on a full disk is restarted, too', async () => {
	const { output, site, serves } = await run(script, {}, openSync('/dev/full', 'w'))
	await serves()
	process.kill(site(), 'SIGKILL')
	await serves(2)
	expect(output()).not.toContain('is started again')
})

test('a data directory that does not answer is reported, and the site starts once it does', async () => {
	const folder = newDataDir()
	const answers = join(folder, 'answers')
	// The site waits for this program as it would for a mount that hangs.
	const hanging = `#!/bin/sh\nuntil [ -e '${answers}' ]; do sleep 0.1; done\nexit 0\n`
	writeFileSync(join(folder, 'flock'), hanging, { mode: 0o755 })
	const { dataDir, output, serves } = await run(script, { PATH: `${folder}:${CHILD_ENV.PATH}` })
	const line = `Still waiting for the data directory ${dataDir}. Either another site has just used it, or its disk or mount does not answer.\n`
	await eventually(() => expect(output()).toBe(line))
	writeFileSync(answers, '')
	await serves()
})

test('a site that exits because of a wrong setting is not restarted', async () => {
	const { output, ended } = await run(script, { SMPT_URL: 'smtp://localhost' })
	expect(await ended).toEqual([1, null])
	expect(output()).toBe('The setting SMPT_URL is not known. Did you mean SMTP_URL?\n')
})

test('an option that it does not have is refused before anything is started', async () => {
	const { output, ended } = await run([...script, '--port', '4000'])
	expect(await ended).toEqual([1, null])
	expect(output()).toBe(
		'Unknown option --port. Settings are environment variables, such as PORT=4000: .env.example lists them.\n',
	)
})

test('a port in use is reported before anything is installed or built', async () => {
	const folder = newDataDir()
	for (const name of ['scripts', 'package.json', 'package-lock.json'])
		cpSync(join(root, name), join(folder, name), { recursive: true })
	const port = await freePort()
	const server = createServer().listen(port, 'localhost')
	await once(server, 'listening')
	const { output, ended } = await run([process.execPath, join(folder, 'scripts/start.mjs')], { PORT: String(port) })
	expect(await ended).toEqual([1, null])
	expect(output()).toBe(`Port ${port} is taken by another program. Stop that one, or set PORT to another number.\n`)
	expect([existsSync(join(folder, 'node_modules')), existsSync(join(folder, 'build'))]).toEqual([false, false])
	server.close()
})
