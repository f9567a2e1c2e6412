import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeDatabase, db, openDatabase } from '~/platform/db/db.server.ts'
import { eventually } from '../support/eventually.ts'
import { type SiteProcess, siteDatabase, startSite } from '../support/site-process.ts'
import { openStalledReaders, openStalledRequests, residentMb, waitOfOthers } from './abuse.ts'

/* Stalls: a PostgreSQL that hangs, readers that do not read, an import that is killed. */

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-stalls-'))
let site: SiteProcess

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir, SEED: 'none' })
	openDatabase(siteDatabase(dataDir))
})

afterAll(async () => {
	await closeDatabase()
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

test('2,000 readers that take nothing and 500 requests that stop in the middle: others are served, the memory comes back', async () => {
	await waitOfOthers(site.url)
	const before = residentMb(site.child.pid ?? 0)
	const stalled = [
		...(await openStalledReaders(site.url, 2_000, 4, '127.0.0.2')),
		...(await openStalledRequests(site.url, 'GET / HTTP/1.1\r\n', 500)),
	]
	const waits = await waitOfOthers(site.url, 20)
	process.stdout.write(`others waited for at most ${Math.round(Math.max(...waits))} ms\n`)
	expect(Math.max(...waits)).toBeLessThan(10_000)
	await eventually(() => expect(stalled.filter((socket) => !socket.destroyed).length).toBeLessThan(2_000)).catch(
		() => {},
	)
	for (const socket of stalled) socket.destroy()
	await eventually(async () => expect((await fetch(`${site.url}/readyz`)).status).toBe(200))
	const after = residentMb(site.child.pid ?? 0)
	process.stdout.write(`resident memory ${Math.round(before)} → ${Math.round(after)} MB\n`)
	expect(after - before).toBeLessThan(300)
})

test('an import is killed five times and run again: each question is there once', async () => {
	const questions = 3_000
	const file = join(dataDir, 'questions.jsonl')
	const line = (id: number) =>
		JSON.stringify({
			id: `fault-${id}`,
			title: `How is question ${id} imported once?`,
			body: 'It was killed in the middle.',
			tags: ['faults'],
			created: '2026-01-15T09:00:00Z',
			author: `author-${id % 50}`,
			source: 'faults',
			source_url: `https://faults.example/${id}`,
			licence: 'CC BY-SA 4.0',
			answers: [],
			comments: [],
		})
	writeFileSync(file, `${Array.from({ length: questions }, (_, id) => line(id)).join('\n')}\n`)
	const run = () =>
		spawn(
			process.execPath,
			['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file, '--category', 'others'],
			{
				stdio: ['ignore', 'pipe', 'inherit'],
				env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, LOG_LEVEL: 'silent' },
			},
		)
	for (let round = 0; round < 5; round += 1) {
		const killed = run()
		const ended = once(killed, 'exit')
		// It reports progress after each batch, so each round is killed within the next one.
		await once(killed.stdout, 'data')
		await sleep(round * 100)
		killed.kill('SIGKILL')
		expect(await ended).toEqual([null, 'SIGKILL'])
	}
	const last = run()
	last.stdout.resume()
	const [code] = await once(last, 'exit')
	const { rows } = await sql<{ all: number; distinct: number }>`
		select count(*)::int as all, count(distinct title)::int as distinct from questions where title like 'How is question % imported once?'`.execute(
		db(),
	)
	expect([code, rows[0]]).toEqual([0, { all: questions, distinct: questions }])
})
