import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
	vi.resetModules()
	for (const name of ['SECURITY_CONTACT', 'ADMIN_EMAIL', 'PUBLIC_URL']) vi.stubEnv(name, '')
})
afterEach(() => {
	vi.unstubAllEnvs()
})

/** The answer of the route on a site with these settings. */
async function answerWith(settings: Record<string, string>): Promise<Response> {
	for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
	const { loader } = await import('./routes/well-known.ts')
	return loader({ url: new URL('http://localhost:3000/.well-known/security.txt') })
}

/** The fields of a security.txt, by name. */
function fieldsOf(text: string): Record<string, string> {
	return Object.fromEntries([...text.matchAll(/^([A-Z][A-Za-z-]+): (.+)$/gm)].map(([, name, value]) => [name, value]))
}

test.each([
	[{ SECURITY_CONTACT: 'security@campus.example' }, 'mailto:security@campus.example'],
	[{ SECURITY_CONTACT: 'https://campus.example/report' }, 'https://campus.example/report'],
	[{ ADMIN_EMAIL: 'admin@campus.example' }, 'mailto:admin@campus.example'],
	[{ SECURITY_CONTACT: 's@campus.example', ADMIN_EMAIL: 'admin@campus.example' }, 'mailto:s@campus.example'],
])('with %j the contact is %s', async (settings, contact) => {
	const answer = await answerWith({ ...settings, PUBLIC_URL: 'https://quad.campus.example' })
	expect(answer.status).toBe(200)
	expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
	const { Expires = '', ...fields } = fieldsOf(await answer.text())
	expect(fields).toEqual({
		Contact: contact,
		'Preferred-Languages': 'en',
		Canonical: 'https://quad.campus.example/.well-known/security.txt',
	})
	const days = (Date.parse(Expires) - Date.now()) / 86_400_000
	expect(days).toBeGreaterThan(178)
	expect(days).toBeLessThan(365)
})

test('a site without TLS has no canonical address, which must be https', async () => {
	const answer = await answerWith({ ADMIN_EMAIL: 'admin@campus.example', PUBLIC_URL: 'http://localhost:3000' })
	expect(fieldsOf(await answer.text())).not.toHaveProperty('Canonical')
})

test('a site without a contact responds with 404', async () => {
	expect((await answerWith({})).status).toBe(404)
})

test.each(['http://campus.example/report', 'security', 'javascript:alert(1)', 'a@campus.example\nContact: x'])(
	'the contact %j is refused at the start',
	async (SECURITY_CONTACT) => {
		await expect(answerWith({ SECURITY_CONTACT })).rejects.toThrow(/^The setting SECURITY_CONTACT is not right/)
	},
)
