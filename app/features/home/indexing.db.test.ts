import { Hono } from 'hono'
import { beforeAll, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import '~/features/index.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { security } from '../../../server/middleware/security.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { loader as sitemap } from '../question-lists/routes/sitemap.ts'
import { loader as robots } from './routes/well-known.ts'

useDatabase()

let admin: SignedIn
beforeAll(async () => {
	admin = await makeMember('oda', 'admin')
})

test('a site that opts out of search engines says so in every response and in robots.txt, and has no sitemap', async () => {
	const app = new Hono()
	app.use(security(config(), () => 'nonce'))
	app.get('/page', (context) => context.text('A page.'))
	const seen = async () => {
		const map = await sitemap({ url: new URL('http://localhost/sitemap.xml') } as never).then(
			(answer) => answer.status,
			(thrown) => thrown.init?.status,
		)
		const text = await robots({ url: new URL('http://localhost/robots.txt') }).text()
		const tag = (await app.request('/page')).headers.get('X-Robots-Tag')
		return { tag, map, closed: text.includes('Disallow: /\n'), names: text.includes('sitemap.xml') }
	}
	expect(await seen()).toEqual({ tag: null, map: 200, closed: false, names: true })
	await saveSection(admin, 'search-engines', { keepsOut: 'on', version: '1' })
	expect(await seen()).toEqual({ tag: 'noindex, nofollow', map: 404, closed: true, names: false })
	await saveSection(admin, 'search-engines', { keepsOut: '', version: '2' })
	expect(await seen()).toEqual({ tag: null, map: 200, closed: false, names: true })
})
