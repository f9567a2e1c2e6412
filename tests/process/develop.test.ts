import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDataDir, type SiteProcess, startSite } from '../support/site-process.ts'

// `npm run dev` on a copy of the source, which the test may modify.

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'devquad-develop-'))
const dataDir = join(folder, 'data')
let site: SiteProcess

beforeAll(async () => {
	for (const name of ['app', 'server', 'migrations', 'scripts', 'public', 'tests'])
		cpSync(join(root, name), join(folder, name), { recursive: true })
	for (const name of ['package.json', 'tsconfig.json', 'vite.config.ts', 'react-router.config.ts'])
		cpSync(join(root, name), join(folder, name))
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
	await makeDataDir(dataDir, 'none')
	site = await startSite({ NODE_ENV: 'development', SEED: 'none', DATA_DIR: dataDir }, folder)
})

afterAll(async () => {
	await site?.stop()
	rmSync(folder, { recursive: true, force: true })
})

test('pages, previews and the socket are on one port', async () => {
	expect(await (await fetch(`${site.url}/forum`)).text()).toContain('Recent Queries')
	expect(await (await fetch(`${site.url}/previews`)).text()).toContain('Questions of a list')
	const socket = new WebSocket(`${site.url.replace('http', 'ws')}/realtime/?EIO=4&transport=websocket`)
	const [message] = (await once(socket, 'message')) as [MessageEvent]
	expect(message.data).toContain('"sid"')
	socket.close()
})

test('changed server code serves the next request', async () => {
	const file = join(folder, 'app/features/home/routes/well-known.ts')
	const before = await (await fetch(`${site.url}/robots.txt`)).text()
	expect(before).not.toContain('/changed')
	writeFileSync(file, readFileSync(file, 'utf8').replace("'Disallow: /forum/ask',", "'Disallow: /changed',"))
	await expect.poll(async () => (await fetch(`${site.url}/robots.txt`)).text()).toContain('/changed')
})

test('SIGTERM ends it in order and leaves no process behind', async () => {
	expect(await site.stop()).toBe(0)
	expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(dataDir)
})
