import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ArchivingState, readArchivingState, writeArchivingState } from './archiving-state.server.ts'

let dataDir = ''

beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), 'devquad-data-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const at = (second: number) => new Date(1_790_000_000_000 + second * 1_000).toISOString()
const state = (second: number): ArchivingState => ({
	place: '/archives/one',
	folder: '/archives',
	passphraseMark: null,
	last: null,
	needsBase: false,
	base: null,
	trouble: null,
	gapSince: at(0),
	lookedAt: at(second),
})

test('a reader during a write gets the complete previous state', async () => {
	await writeArchivingState(dataDir, state(1))
	const reading = await open(join(dataDir, 'site.archive.json'))
	try {
		await writeArchivingState(dataDir, state(2))
		expect(JSON.parse(await reading.readFile('utf8'))).toEqual(state(1))
	} finally {
		await reading.close()
	}
	expect(await readArchivingState(dataDir)).toEqual(state(2))
	expect(readdirSync(dataDir)).toEqual(['site.archive.json'])
})
