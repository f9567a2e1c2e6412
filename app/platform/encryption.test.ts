import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { authSecret, decryptSecret, encryptSecret } from './encryption.server.ts'

test('the secret is created once, readable by its owner only, and the same for concurrent callers', () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'secret-'))
	const secrets = [1, 2, 3].map(() => authSecret({ AUTH_SECRET: undefined, dataDir }))
	expect(new Set(secrets).size).toBe(1)
	expect(secrets[0]?.length).toBeGreaterThanOrEqual(43)
	expect(readdirSync(dataDir)).toEqual(['auth-secret'])
	expect(statSync(join(dataDir, 'auth-secret')).mode & 0o777).toBe(0o600)
	expect(authSecret({ AUTH_SECRET: 'given', dataDir })).toBe('given')
	rmSync(dataDir, { recursive: true })
})

test.each([['a word'], [''], ['🙂 学 '.repeat(2_000)]])(
	'a secret comes out as it went in, and looks different each time',
	(text) => {
		const [one, other] = [encryptSecret('purpose', text), encryptSecret('purpose', text)]
		expect([decryptSecret('purpose', one), decryptSecret('purpose', other)]).toEqual([text, text])
		expect(one).not.toBe(other)
		if (text) expect(Buffer.from(one.slice(3), 'base64url').includes(text)).toBe(false)
	},
)

test.each([
	['for another purpose', 'another', (stored: string) => stored],
	[
		'changed by one bit',
		'purpose',
		(stored: string) => `${stored.slice(0, -2)}${stored.at(-2) === 'A' ? 'B' : 'A'}${stored.at(-1)}`,
	],
	['cut off', 'purpose', (stored: string) => stored.slice(0, 20)],
	['of a version that nobody knows', 'purpose', (stored: string) => stored.replace('v1', 'v2')],
	['in plain text', 'purpose', () => 'hunter2'],
	['nothing', 'purpose', () => ''],
])('a secret that is %s is not decrypted', (_what, purpose, change) => {
	expect(decryptSecret(purpose, change(encryptSecret('purpose', 'a longer secret')))).toBeNull()
})
