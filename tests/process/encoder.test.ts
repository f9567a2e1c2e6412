import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SiteProcess, siteDatabase, startSite } from '../support/site-process.ts'

/* The built encoder in the thread of a running site; its results are tested in app/features/search/similar/meaning.db.test.ts. */

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-encoder-'))
let site: SiteProcess
let database: pg.Client

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir, SENTENCE_ENCODER: 'true' })
	database = new pg.Client(siteDatabase(dataDir))
	await database.connect()
})

afterAll(async () => {
	await database?.end()
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

test('a site computes the vectors of its questions after the start, while it keeps serving', async () => {
	// The job runs every minute.
	const made = async () =>
		(await database.query('select count(vector)::int as made from question_vectors')).rows[0].made
	await expect.poll(made, { timeout: 170_000, interval: 500 }).toBeGreaterThan(2)
	const answer = await fetch(`${site.url}/suggest/similar?title=${encodeURIComponent('git rebase lost my commits')}`)
	expect(answer.status).toBe(200)
	expect(site.output()).not.toContain('encoder failed')
})
