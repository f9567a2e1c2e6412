import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest'

// Test files share a process, see vitest.config.ts: this resets the state of the project's modules and of remember.ts.
vi.resetModules()
Reflect.deleteProperty(globalThis, '__remembered')
const environment = { ...process.env }

// A hash with the product's cost takes 20 ms of a processor. A test of stored hashes undoes this with `vi.unmock`.
vi.mock(import('@node-rs/argon2'), async (importOriginal) => {
	const original = await importOriginal()
	return {
		...original,
		hash: (password, options, signal) => original.hash(password, { ...options, memoryCost: 64, timeCost: 1 }, signal),
	}
})

// Each test file has a data directory of its own, set before any module reads the settings.
const dataDir = mkdtempSync(join(tmpdir(), 'devquad-unit-'))
process.env.DATA_DIR = dataDir
process.env.LOG_LEVEL = 'silent'
process.env.PUBLIC_URL = 'http://localhost:3000'

beforeEach(() => {
	vi.spyOn(console, 'error')
})

afterEach(() => {
	expect(console.error, 'a stray console.error').not.toHaveBeenCalled()
	vi.restoreAllMocks()
})

afterAll(() => {
	vi.useRealTimers()
	vi.unstubAllGlobals()
	for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
	Object.assign(process.env, environment)
	rmSync(dataDir, { recursive: true, force: true })
})
