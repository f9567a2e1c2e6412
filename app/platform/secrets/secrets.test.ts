import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-secrets-'))
vi.stubEnv('DATA_DIR', dataDir)
const { decryptSecret, encryptSecret } = await import('./secrets.server.ts')

afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

test('a secret is read again, is never stored twice alike, and its key lies in the data directory for its owner alone', () => {
	const [first, second] = [encryptSecret('schlüssel', 'totp 1'), encryptSecret('schlüssel', 'totp 1')]
	expect(first).not.toBe(second)
	expect(first + second).not.toContain(Buffer.from('schlüssel').toString('base64url'))
	expect([first, second].map((stored) => decryptSecret(stored, 'totp 1'))).toEqual(['schlüssel', 'schlüssel'])
	expect(readdirSync(dataDir)).toEqual(['encryption-key'])
	expect(statSync(join(dataDir, 'encryption-key')).mode & 0o777).toBe(0o600)
})

const stored = encryptSecret('JBSWY3DPEHPK3PXP', 'totp 1')

test.each([
	['the row of somebody else', stored, 'totp 2'],
	['a changed letter', stored.replace(/.$/, (letter) => (letter === 'A' ? 'B' : 'A')), 'totp 1'],
	['a short tag', stored.slice(0, 30), 'totp 1'],
	['another way', stored.replace('v1', 'v2'), 'totp 1'],
	['plain text', 'JBSWY3DPEHPK3PXP', 'totp 1'],
	['nothing', '', 'totp 1'],
])('%s is refused', (_what, text, purpose) => {
	expect(() => decryptSecret(text, purpose)).toThrow('cannot be decrypted')
})
