import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseConfig } from '~/config.server.ts'
import { vapidKeys } from './vapid.server.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-vapid-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

test('the keys are created once, completely, and readable by the owner of the data directory only', () => {
	const settings = { ...parseConfig({ DATA_DIR: dataDir }), dataDir }
	const keys = vapidKeys(settings)
	expect(vapidKeys(settings)).toEqual(keys)
	expect(readdirSync(dataDir)).toEqual(['vapid-private-key'])
	expect(statSync(join(dataDir, 'vapid-private-key')).mode & 0o777).toBe(0o600)
	const bytes = Buffer.from(keys.publicKey, 'base64url')
	expect(bytes).toHaveLength(65)
	const point = { x: bytes.subarray(1, 33).toString('base64url'), y: bytes.subarray(33).toString('base64url') }
	const jwk = { kty: 'EC', crv: 'P-256', ...point }
	const signature = sign(
		'sha256',
		Buffer.from('x'),
		createPrivateKey({ key: { ...jwk, d: keys.privateKey }, format: 'jwk' }),
	)
	expect(verify('sha256', Buffer.from('x'), createPublicKey({ key: jwk, format: 'jwk' }), signature)).toBe(true)
})

test('a setting replaces the file, and the subject is an address that RFC 8292 allows', () => {
	const VAPID_PRIVATE_KEY = Buffer.alloc(32, 7).toString('base64url')
	const of = (env: Record<string, string>) =>
		vapidKeys(parseConfig({ DATA_DIR: '/nowhere', VAPID_PRIVATE_KEY, ...env }))
	expect(of({}).privateKey).toBe(VAPID_PRIVATE_KEY)
	expect(of({}).subject).toBe('mailto:no-reply@localhost')
	expect(of({ ADMIN_EMAIL: 'wanda@campus.example' }).subject).toBe('mailto:wanda@campus.example')
	expect(of({ PUBLIC_URL: 'https://quad.example' }).subject).toBe('https://quad.example')
	expect(() => parseConfig({ VAPID_PRIVATE_KEY: 'short' })).toThrow(/VAPID_PRIVATE_KEY is not right: must be 32 bytes/)
})
