import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { descendants, processesOf } from '../../tests/support/cluster.ts'
import { eventually } from '../../tests/support/eventually.ts'
import { keepEmbeddedPostgres } from './kept-postgres.server.ts'

test('a PostgreSQL that was killed is started again with what was committed, and stops for good when it is told to', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-kept-'))
	const postgres = await keepEmbeddedPostgres(dataDir)
	const pool = new pg.Pool(postgres.connection)
	pool.on('error', () => {})
	await pool.query('create table kept (words text)')
	await pool.query("insert into kept values ('still here')")
	const leader = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
	for (const { pid } of descendants(leader)) process.kill(pid, 'SIGKILL')
	const rows = await eventually(async () => (await pool.query('select words from kept')).rows)
	expect(rows).toEqual([{ words: 'still here' }])
	await pool.end()
	await postgres.stop()
	expect(processesOf(join(dataDir, 'postgres'))).toEqual([])
	rmSync(dataDir, { recursive: true, force: true })
})
