import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseConfig, settingNames } from './config.server.ts'

test('every setting is optional', () => {
	const config = parseConfig({})
	expect(config).toMatchObject({
		PORT: 3000,
		SEED: 'demo',
		SITE_NAME: 'DevQuad',
		publicUrl: 'http://localhost:3000',
		secure: false,
	})
	expect(config.dataDir).toMatch(/\/data$/)
})

test.each([
	['a port that is no number', { PORT: 'http' }, /PORT is not right/],
	['a port that is too large', { PORT: '70000' }, /PORT is not right/],
	['an address without a scheme', { PUBLIC_URL: 'quad.example' }, /PUBLIC_URL is not right/],
	['another database', { DATABASE_URL: 'mysql://x' }, /DATABASE_URL is not right: must begin with postgres/],
	['a short secret', { AUTH_SECRET: 'secret' }, /AUTH_SECRET is not right: must have at least 32 characters/],
	['a seed that does not exist', { SEED: 'lots' }, /SEED is not right/],
	['a flag that is neither', { TRUST_PROXY: 'maybe' }, /TRUST_PROXY is not right/],
	['a setting that nobody knows', { SMTP_ULR: 'smtp://x' }, /SMTP_ULR is not known/],
])('%s is refused in one sentence that names it', (_what, env, message) => {
	expect(() => parseConfig(env)).toThrow(message)
	expect(() => parseConfig(env)).not.toThrow(/\n/)
})

test('a refusal does not repeat a secret', () => {
	expect(() => parseConfig({ AUTH_SECRET: 'hunter2' })).not.toThrow(/hunter2/)
})

test('behind https the site is secure and its address has no slash at the end', () => {
	expect(parseConfig({ PUBLIC_URL: 'https://quad.example/' })).toMatchObject({
		publicUrl: 'https://quad.example',
		secure: true,
	})
})

test('domains are a list, lower-cased', () => {
	expect(parseConfig({ ALLOWED_EMAIL_DOMAINS: ' Eastmere.example, b.example ' }).ALLOWED_EMAIL_DOMAINS).toEqual([
		'eastmere.example',
		'b.example',
	])
})

test.each([
	['README.md', /^\| (`[A-Z].*?) \|/gm],
	['.env.example', /^#([A-Z][A-Z0-9_]*)=/gm],
])('%s lists every setting and no other', (file, entry) => {
	const entries = [...readFileSync(file, 'utf8').matchAll(entry)].map(([, names]) => names ?? '')
	const listed = entries.flatMap((names) => names.match(/[A-Z][A-Z0-9_]+/g) ?? [])
	expect(listed.toSorted()).toEqual([...settingNames].sort())
})
