import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { findServer } from '~/platform/db/postgres-process.server.ts'
import { picture } from '../factories/pictures.ts'
import { logInDemoMember } from '../support/demo-member.ts'
import { eventually } from '../support/eventually.ts'
import { CHILD_ENV, type SiteProcess, siteDatabase, startFirst, startSite } from '../support/site-process.ts'

/* A site is backed up during writes, killed, and restored elsewhere: docs/self-hosting.md, “Backup” and “Restore”. */

const folder = mkdtempSync(join(tmpdir(), 'devquad-backup-'))
const oldData = join(folder, 'old')
const newData = join(folder, 'new')
const site = { now: undefined as SiteProcess | undefined }

afterAll(async () => {
	await site.now?.stop()
	rmSync(folder, { recursive: true, force: true })
})

/** Runs a script of the project as npm does. @param stopAt the output at which it is told to stop, as by Ctrl-C @returns its exit code and output */
async function run(script: 'backup' | 'restore', args: string[], env: Record<string, string>, stopAt?: RegExp) {
	const child = spawn(process.execPath, ['--import', './scripts/support/alias.mjs', `scripts/${script}.ts`, ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...CHILD_ENV, ...env },
	})
	let output = ''
	let isTold = false
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk) => {
			output += chunk
			if (!isTold && stopAt?.test(output)) isTold = child.kill('SIGINT')
		})
	const [code] = (await once(child, 'exit')) as [number | null]
	return { code, output }
}

/** The time when a migration was applied differs: a restore makes the tables by migrations of its own. It leaves out versions. */
const comparedColumns: Record<string, string> = { migrations: 'name', conversations: `(to_jsonb(t) - 'version')::text` }

/** A digest of the rows of each table and of queued jobs. */
async function readTables(dataDir: string): Promise<Record<string, string>> {
	const client = new pg.Client(siteDatabase(dataDir))
	await client.connect()
	try {
		const { rows: tables } = await client.query(
			`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
				-- Each start makes one.
				and relname not in ('admin_claims', 'restored_site')`,
		)
		const digests: Record<string, string> = {}
		for (const { relname } of tables) {
			const row = comparedColumns[relname] ?? 't::text'
			const { rows } = await client.query(
				`select count(*) || ' ' || coalesce(md5(string_agg(${row}, ';' order by ${row})), '') as digest from "${relname}" t`,
			)
			digests[relname] = rows[0].digest
		}
		return digests
	} finally {
		await client.end()
	}
}

/** Waits until related questions are computed: the job changes its table row by row, so that it would have many states. */
async function finishRelated(dataDir: string): Promise<void> {
	const client = new pg.Client(siteDatabase(dataDir))
	await client.connect()
	try {
		await eventually(async () => {
			const { rows: jobs } = await client.query(
				`select from graphile_worker.jobs where task_identifier = 'related-questions' and run_at <= now()`,
			)
			const { rows: due } = await client.query(`
				select from related_questions r join questions q on q.id = r.question_id
				where r.wanted_at is not null and q.status = 'published'`)
			// A run on a busy machine leaves some; the next would wait for its minute.
			if (due.length > 0 && jobs.length === 0) await client.query(`select graphile_worker.add_job('related-questions')`)
			expect([...due, ...jobs]).toEqual([])
		}, 300_000)
	} finally {
		await client.end()
	}
}

/** The pages for visitors, without parts that differ in every response. */
async function readPages(url: string, addresses: string[]): Promise<Record<string, string>> {
	const pages: Record<string, string> = {}
	for (const address of addresses) {
		const answer = await fetch(url + address, { headers: { cookie: 'flash=none' } })
		const bytes = Buffer.from(await answer.arrayBuffer())
		const nonce = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '')?.[1] ?? 'none'
		const isText = /^text|json|xml/.test(answer.headers.get('content-type') ?? '')
		const text = isText
			? bytes
					.toString()
					.replaceAll(new URL(url).host, 'host')
					.replaceAll(nonce, '')
					.replaceAll(/just now|\d+ min ago/g, '')
					.replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '')
					.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')
			: bytes.toString('base64')
		pages[address] = `${answer.status} ${text}`
	}
	return pages
}

/** The first difference of two pages with its context, as whole pages would be illegible. */
function difference(one: string, other: string): string {
	if (one === other) return ''
	const place = [...one].findIndex((letter, index) => letter !== other[index])
	return `${one.slice(place - 60, place + 60)} ≠ ${other.slice(place - 60, place + 60)}`
}

test('a backup that is not there is reported before anything is made in the empty folder', async () => {
	const DATA_DIR = join(folder, 'untouched')
	const restored = await run('restore', [join(folder, 'none.tar.zst')], { DATA_DIR })
	expect(restored).toEqual({ code: 1, output: `There is no file or folder ${join(folder, 'none.tar.zst')}.\n` })
	expect(existsSync(DATA_DIR)).toBe(false)
})

test('a site that is backed up during writes and then killed is restored elsewhere', async () => {
	const first = await startSite({ DATA_DIR: oldData })
	site.now = first
	const Cookie = await logInDemoMember(first.url, oldData)
	const post = (path: string, body: BodyInit) =>
		fetch(first.url + path, { method: 'POST', redirect: 'manual', headers: { Origin: first.url, Cookie }, body })
	const form = new FormData()
	form.set('kind', 'post')
	form.set('file', new Blob([Uint8Array.from(await picture('png'))]))
	const uploaded = (await (await post('/media', form)).json()) as { picture: { path: string } }
	const asked = await post(
		'/forum/ask',
		new URLSearchParams({
			title: 'What is in a backup?',
			description: `This: ![it](/media/${uploaded.picture.path}-1280.webp)`,
			tags: 'backup',
			category: 'others',
		}),
	)
	const address = asked.headers.get('Location') ?? ''
	const addresses = [
		'/',
		'/forum',
		'/find-dev',
		'/find-dev/mira.quillon',
		address,
		`/media/${uploaded.picture.path}-640.webp`,
		'/api/v1/queries',
	]

	// During writes: the test restore must be consistent, with all foreign keys checked.
	const writing = { isOver: false, comments: 0 }
	const writes = (async () => {
		for (; !writing.isOver && writing.comments < 60; writing.comments += 1)
			await post(address, new URLSearchParams({ intent: 'comment', body: `Written meanwhile: ${writing.comments}.` }))
	})()
	const under = await run('backup', ['--to', folder, '--keep', '1'], {
		DATA_DIR: oldData,
		BACKUP_PASSPHRASE: 'four words on paper',
	})
	writing.isOver = true
	await writes
	expect(under).toMatchObject({ code: 0, output: expect.stringMatching(/restored once to try it/) })
	expect(writing.comments).toBeGreaterThan(0)

	// No requests now, but scheduled jobs may run: each table is in its state before or after.
	await finishRelated(oldData)
	const pages = await readPages(first.url, addresses)
	const before = await readTables(oldData)
	const made = await run('backup', ['--to', folder, '--keep', '1', '--no-verify'], { DATA_DIR: oldData })
	const after = await readTables(oldData)
	expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/Removed: devquad-/) })
	const [name = '', ...others] = readdirSync(folder).filter((file) => file.startsWith('devquad-'))
	expect(others).toEqual([])
	const file = join(folder, name)
	expect(statSync(file).mode & 0o777).toBe(0o600)
	first.child.kill('SIGKILL')
	await once(first.child, 'exit')
	const half = join(folder, 'half.tar.zst')
	copyFileSync(file, half)
	truncateSync(half, Math.floor(statSync(file).size * 0.7))

	// A failed restore leaves a folder in which the next one works.
	mkdirSync(newData)
	const failed = await run('restore', [half], { DATA_DIR: newData })
	expect(failed).toMatchObject({ code: 1, output: expect.stringContaining('damaged or not whole') })
	const stopped = await run('restore', [file], { DATA_DIR: newData }, /Restoring: \d+%/)
	expect(stopped).toMatchObject({ code: 1, output: expect.stringContaining('Stopped, so nothing was restored.') })
	expect(findServer(join(newData, 'postgres'))).toEqual({ state: 'absent' })
	// Left by a database that was archived continuously.
	const wal = join(newData, 'postgres-wal')
	mkdirSync(wal)
	for (const left of [join(newData, 'site.archive.json'), join(wal, '0000000100000000000000FF')])
		writeFileSync(left, '')
	const restored = await run('restore', [file], { DATA_DIR: newData })
	expect(readdirSync(newData)).not.toEqual(
		expect.arrayContaining([expect.stringMatching(/^(site\.archive\.json|postgres-wal)$/)]),
	)
	expect(readdirSync(`${wal}-before-restore`)).toEqual(['0000000100000000000000FF'])
	expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('Restored the site of') })
	const again = await run('restore', [file], { DATA_DIR: newData })
	expect(again).toMatchObject({ code: 1, output: expect.stringContaining('this site has members already') })

	// Before a site runs on them, whose jobs would go on.
	const postgres = await startEmbeddedPostgres(newData)
	const tables = await readTables(newData).finally(postgres.stop)
	expect(Object.keys(tables).sort()).toEqual(Object.keys(before).sort())
	for (const [table, digest] of Object.entries(tables)) expect([before[table], after[table]], table).toContain(digest)
	const second = await startFirst({ DATA_DIR: newData })
	site.now = second
	const restoredPages = await readPages(second.url, addresses)
	for (const each of addresses) expect(difference(restoredPages[each] ?? '', pages[each] ?? ''), each).toBe('')
	const me = await fetch(`${second.url}/api/v1/me`, { headers: { Cookie } })
	expect(await me.json()).toMatchObject({ username: 'mira.quillon' })
	const running = await run('restore', [file], { DATA_DIR: newData })
	expect(running).toMatchObject({ code: 1, output: expect.stringContaining('already running') })
})
