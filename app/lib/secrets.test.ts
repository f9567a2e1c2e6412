import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { canCutPower, mountPoweredDisk, powerNote } from '../../tests/support/power.ts'
import { readOrCreateFile } from './secrets.server.ts'

test(`a secret that was handed out is there after a loss of power${powerNote}`, { skip: !canCutPower }, async () => {
	const disk = await mountPoweredDisk()
	onTestFinished(disk.remove)
	const secret = readOrCreateFile(join(disk.seen, 'auth-secret'), () => 'kept')
	expect(readFileSync(join(disk.cutPower(), 'auth-secret'), 'utf8')).toBe(secret)
})

test('an empty file is refused in one sentence, and never used as a secret', () => {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-secrets-'))
	onTestFinished(() => rmSync(folder, { recursive: true }))
	const file = join(folder, 'auth-secret')
	writeFileSync(file, '\n')
	expect(() => readOrCreateFile(file, () => 'other')).toThrow(
		`${file} is empty. Restore it from a backup, or remove it`,
	)
	expect(readFileSync(file, 'utf8')).toBe('\n')
})

test('a link to a missing file is refused in one sentence; it was an empty secret', () => {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-secrets-'))
	onTestFinished(() => rmSync(folder, { recursive: true }))
	const file = join(folder, 'auth-secret')
	symlinkSync(join(folder, 'not-mounted', 'auth-secret'), file)
	expect(() => readOrCreateFile(file, () => 'other')).toThrow(
		`${file} cannot be read: it leads to a file that is missing`,
	)
})
