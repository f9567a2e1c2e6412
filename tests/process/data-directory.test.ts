import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
	appendFileSync,
	chmodSync,
	chownSync,
	cpSync,
	type Dirent,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { closeDatabase, openDatabase } from '~/platform/db/db.server.ts'
import { freePort } from '../../scripts/support/free-ports.ts'
import { picture } from '../factories/pictures.ts'
import { CountingClient } from '../faults/counting-client.ts'
import { logInDemoMember } from '../support/demo-member.ts'
import { eventually } from '../support/eventually.ts'
import { CHILD_ENV, makeDataDir, siteDatabase, spawnSite, startSite } from '../support/site-process.ts'
import { makeSites } from '../support/sites.ts'
import { canIsolate, isolationNote, mountSmallDisk, runOnDisk } from '../support/small-disk.ts'

/* DATA_DIR is private to its owner, locked by one site, and survives a full disk and other containers. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const { keep, newDataDir, start, fails } = makeSites({ SEED: 'none' })
const isRoot = process.getuid?.() === 0
/** How often the disk of a running site is filled. */
const diskRounds = Number(process.env.DISK_ROUNDS ?? 1)

interface Ended {
	code: number | null
	output: string
}

/** Imports so many questions with `npm run import`. */
async function importQuestions(count: number, env: Record<string, string>): Promise<Ended> {
	const file = join(newDataDir(), 'questions.jsonl')
	const questionOf = (id: number) => ({
		id,
		title: `What is number ${id}?`,
		body: 'A text.',
		tags: ['numbers'],
		author: 'ines',
		created: '2026-01-01T00:00:00Z',
		answers: [],
	})
	writeFileSync(file, Array.from({ length: count }, (_, id) => JSON.stringify(questionOf(id))).join('\n'))
	const child = spawn(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...CHILD_ENV, LOG_LEVEL: 'warn', ...env },
	})
	let output = ''
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
	const [code] = await once(child, 'exit')
	return { code: code as number | null, output }
}

/** All paths below a folder that others may access. */
function openToOthers(folder: string): string[] {
	const entries: Dirent[] = readdirSync(folder, { recursive: true, withFileTypes: true })
	return entries
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => (lstatSync(path).mode & 0o077) !== 0)
}

test('after real use, and with what version 0.1.0 left open, nothing in the data directory is accessible to other accounts', async () => {
	const dataDir = newDataDir()
	await makeDataDir(dataDir, 'demo')
	expect(openToOthers(dataDir), 'after the first start').toEqual([])
	chmodSync(dataDir, 0o711)
	for (const path of ['media', 'media/ab', 'mail']) mkdirSync(join(dataDir, path), { recursive: true })
	for (const path of ['media', 'media/ab', 'mail']) chmodSync(join(dataDir, path), 0o755)
	for (const path of ['media/ab/old.webp', 'mail/old.eml', 'auth-secret']) {
		writeFileSync(join(dataDir, path), 'a secret that is long enough for sessions')
		chmodSync(join(dataDir, path), 0o644)
	}
	const site = await start({ DATA_DIR: dataDir, SEED: 'demo' })
	const Cookie = await logInDemoMember(site.url, dataDir)
	const post = (path: string, body: BodyInit) =>
		fetch(site.url + path, { method: 'POST', redirect: 'manual', headers: { Cookie, Origin: site.url }, body })
	const form = new FormData()
	form.set('kind', 'post')
	form.set('file', new Blob([Uint8Array.from(await picture('png'))]))
	expect((await post('/media', form)).status).toBeLessThan(300)
	await post('/forgot-password', new URLSearchParams({ email: 'mira.quillon@eastmere.example' }))
	await eventually(() => expect(readdirSync(join(dataDir, 'mail')).length).toBeGreaterThan(1))

	const all = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
	for (const name of [
		'demo-account.txt',
		'auth-secret',
		'vapid-private-key',
		'postgres-password',
		'postgres.log',
		'site.lock',
	])
		expect(all).toContain(name)
	expect(all.filter((name) => /^media\/.*\.webp$/.test(name)).length).toBeGreaterThan(1)
	expect(openToOthers(dataDir)).toEqual([])
	// As root, PostgreSQL's account may enter the folder but not list it; others may do neither.
	expect((lstatSync(dataDir).mode & 0o777).toString(8)).toBe(isRoot ? '710' : '700')
	if (!isRoot) return
	const strange = (...command: string[]) =>
		spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', ...command], {
			cwd: '/',
			encoding: 'utf8',
		})
	for (const path of ['', 'postgres', 'media', 'auth-secret'])
		expect(strange('ls', join(dataDir, path)).stderr).toMatch(/Permission denied/)
})

test('an import with a temporary folder of its own uses the running site, which continues', async () => {
	const dataDir = newDataDir()
	const site = await start({ DATA_DIR: dataDir, TMPDIR: newDataDir() })
	const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
	const before = readFileSync(pidFile, 'utf8')
	const client = new pg.Client(siteDatabase(dataDir))
	await client.connect()
	const { code, output } = await importQuestions(20, { DATA_DIR: dataDir, TMPDIR: newDataDir() })
	expect(output).toMatch(/Imported 20 questions/)
	expect(code).toBe(0)
	// The same server, and a connection that was not interrupted.
	expect(readFileSync(pidFile, 'utf8')).toBe(before)
	expect((await client.query('select count(*)::int as count from questions')).rows).toEqual([{ count: 20 }])
	await client.end()
	expect((await fetch(`${site.url}/forum`)).status).toBe(200)
	expect(await (await fetch(`${site.url}/forum`)).text()).toContain('What is number')
})

test("an import as another account than the directory's is refused in one sentence", { skip: !isRoot }, async () => {
	const dataDir = newDataDir()
	chownSync(dataDir, 65_534, 65_534)
	const { code, output } = await importQuestions(1, { DATA_DIR: dataDir })
	expect(output).toBe(
		`The data directory ${dataDir} cannot be used: it belongs to another account (uid 65534); run DevQuad as that account. Choose another with DATA_DIR.\n`,
	)
	expect(code).toBe(1)
	expect([lstatSync(dataDir).uid, readdirSync(dataDir)]).toEqual([65_534, []])
})

test(`a second site in namespaces of its own is refused, and the first one loses nothing${isolationNote}`, {
	skip: !canIsolate,
}, async () => {
	const dataDir = newDataDir()
	const first = await start({ DATA_DIR: dataDir })
	openDatabase(siteDatabase(dataDir))
	onTestFinished(closeDatabase)
	const client = new CountingClient(() => first.url)
	await client.start(8)
	const acknowledged = (least: number) => expect.poll(() => client.acknowledgedCount).toBeGreaterThanOrEqual(least)
	await acknowledged(8)
	const container = ['unshare', '-n', '-p', '-f', '--kill-child', '--mount-proc']
	for (let round = 0; round < 3; round += 1) {
		const second = keep(spawnSite({ SEED: 'none', DATA_DIR: dataDir, PORT: String(await freePort()) }, root, container))
		const [code] = await once(second.child, 'exit')
		expect([code, second.output()]).toEqual([
			1,
			`Another DevQuad is already running on ${dataDir}. Stop it first, or choose another DATA_DIR.\n`,
		])
	}
	// The first site keeps answering.
	await acknowledged(client.acknowledgedCount + 8)
	expect(await client.stop()).toMatchObject({ lost: [], doubled: [], failed: 0 })
	await closeDatabase()
	// The reverse: the container holds the lock first, and releases it when it ends.
	await first.stop()
	const inside = keep(await startSite({ SEED: 'none', DATA_DIR: dataDir }, root, container))
	expect((await fails({ DATA_DIR: dataDir })).output).toMatch(/^Another DevQuad is already running/)
	inside.child.kill('SIGKILL')
	await once(inside.child, 'exit')
	// The kernel kills the container's processes a moment later.
	const third = await eventually(() => start({ DATA_DIR: dataDir }))
	expect((await fetch(`${third.url}/forum`)).status).toBe(200)
})

test('project folder and data directory may have blanks, quotes, umlauts and percent signs in their names', async () => {
	const folder = join(newDataDir(), `my "site's" größe %20 $HOME`)
	for (const name of ['app', 'server', 'scripts', 'migrations', 'package.json'])
		cpSync(join(root, name), join(folder, name), { recursive: true })
	for (const name of ['node_modules', 'build', 'public']) symlinkSync(join(root, name), join(folder, name))
	const dataDir = join(folder, `da ta, "größe" %41's`)
	for (let round = 0; round < 2; round += 1) {
		const site = keep(await startSite({ SEED: 'none', DATA_DIR: dataDir }, folder))
		expect(site.output()).toContain(dataDir)
		expect((await fetch(`${site.url}/forum`)).status).toBe(200)
		expect(await site.stop()).toBe(0)
	}
})

test(`a disk that is read-only or full at the start is named, not what the log said before${isolationNote}`, {
	skip: !canIsolate,
}, async () => {
	const disk = await mountSmallDisk(128)
	onTestFinished(disk.remove)
	const dataDir = join(disk.folder, 'data')
	const seen = join(disk.seen, 'data')
	const failsThere = async (): Promise<Ended> => {
		const site = spawnSite({ SEED: 'none', DATA_DIR: dataDir, PORT: String(await freePort()) }, root, disk.prefix)
		const [code] = await once(site.child, 'exit')
		return { code: code as number | null, output: site.output() }
	}
	disk.fill()
	const cause = 'the disk is full'
	expect(await failsThere()).toEqual({
		code: 1,
		output: expect.stringMatching(new RegExp(`^[^\\n]*${cause}[^\\n]*\\n$`)),
	})
	disk.free()
	const first = await startSite({ SEED: 'none', DATA_DIR: dataDir }, root, disk.prefix)
	await first.stop()
	appendFileSync(join(seen, 'postgres.log'), '2026-01-01 00:00:00 UTC [1] FATAL:  the moon was full\n')
	disk.fill()
	expect(await failsThere()).toEqual({
		code: 1,
		output: expect.stringMatching(new RegExp(`^[^\\n]*${cause}[^\\n]*\\n$`)),
	})
	disk.free()
	runOnDisk(disk, 'mount', '-o', 'remount,ro', disk.folder)
	expect(await failsThere()).toEqual({
		code: 1,
		output: `The data directory ${dataDir} cannot be used: the disk is read-only. Choose another with DATA_DIR.\n`,
	})
	runOnDisk(disk, 'mount', '-o', 'remount,rw', disk.folder)
	const again = await startSite({ SEED: 'none', DATA_DIR: dataDir }, root, disk.prefix)
	expect(await again.stop()).toBe(0)
})

test(`a disk that fills up under a running site, and is freed, is all it takes: it recovers by itself${isolationNote}`, {
	skip: !canIsolate,
}, async () => {
	const disk = await mountSmallDisk(192)
	onTestFinished(disk.remove)
	const dataDir = join(disk.seen, 'data')
	await makeDataDir(dataDir, 'none')
	const site = await startSite({ SEED: 'none', DATA_DIR: join(disk.folder, 'data') }, root, disk.prefix)
	onTestFinished(async () => {
		await site.stop()
	})
	const connection = { ...siteDatabase(dataDir), host: join(dataDir, 'postgres-socket') }
	await write(connection, 'create table counted (number int, filling text)')
	const { user, password } = siteDatabase(dataDir, 'devquad_admin')
	const admin = { user, password }
	const acknowledged: number[] = []
	const writeOne = async (number: number) => {
		await write(
			connection,
			`insert into counted select ${number}, string_agg(gen_random_uuid()::text, '') from generate_series(1, 30000)`,
		)
		acknowledged.push(number)
	}
	for (let round = 1; round <= diskRounds; round += 1) {
		disk.fill()
		// A table that cannot grow causes an error; a WAL that cannot grow ends PostgreSQL with all connections.
		await expect(writeMany(writeOne, round * 1_000)).rejects.toThrow(/No space left on device|terminated/)
		const grow = () =>
			write({ ...connection, ...admin }, `select pg_logical_emit_message(true, 'filling', repeat('x', 8000000))`)
		await expect(writeMany(grow, 0)).rejects.toMatchObject({ severity: 'PANIC' })
		// PostgreSQL also has to start on such a disk, which cannot even hold its pid file.
		const told = site.output().length
		process.kill(Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
		disk.fill()
		await eventually(() => expect(site.output().slice(told)).toMatch(/could not be started again/))
		expect(site.output().slice(told)).toMatch(/the disk is full/)
		disk.free()
		await eventually(async () => {
			await writeOne(round * 1_000 + 999)
			expect((await fetch(`${site.url}/readyz`)).status).toBe(200)
		})
		const { rows } = await write(connection, 'select number from counted')
		expect(acknowledged.filter((number) => !rows.some((row) => row.number === number))).toEqual([])
		await write(connection, 'truncate counted')
		acknowledged.length = 0
	}
})

/** Writes until a write fails. */
async function writeMany(writeOne: (number: number) => Promise<unknown>, from: number): Promise<void> {
	for (let number = from; ; number += 1) await writeOne(number)
}

async function write(connection: pg.ClientConfig, statement: string): Promise<pg.QueryResult> {
	const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000, query_timeout: 20_000 })
	client.on('error', () => {})
	try {
		await client.connect()
		return await client.query(statement)
	} finally {
		void client.end().catch(() => {})
	}
}
