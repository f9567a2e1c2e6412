import { expect, test } from 'vitest'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { suggestTags, suggestTagsForEach } from '~/features/tags/tags.server.ts'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { previewDescription } from './asking.server.ts'

useDatabase()

const address = '203.0.113.5'

test('a preview equals the published text', async () => {
	const member = await makeMember('previewer')
	const description = '# Head\n\n`code`\n\n    plain = [block]\n\n```\nconst a = 1\n```'
	const { html } = await previewDescription(member, address, { description, tags: 'Node.js, x' })
	const { id } = await makeQuestion(member, { description, tags: 'Node.js, x' })
	expect(html).toBe((await getQuestion(member, id)).descriptionHtml)
	expect(html).toContain('s-k')
})

test.each([
	['<script>alert(1)</script>'],
	['<img src=x onerror=alert(1)>'],
	['[x](javascript:alert(1))'],
	['![x](javascript:alert(1))'],
	['<svg onload=alert(1)>'],
	[`![x](/media/posts/a/${'0'.repeat(32)}-1280.webp#1x1"onerror="alert(1))`],
])('the preview of %s holds nothing that executes', async (description) => {
	const { html } = await previewDescription(null, address, { description })
	expect(html.replaceAll(/&lt;.*?&gt;/g, '')).not.toMatch(/<script|<svg|<[a-z][^>]*\son\w+=|(href|src)="javascript/i)
})

test('an uploaded picture has a reserved size and a smaller file for phones', async () => {
	const path = `posts/mira/${'a'.repeat(32)}`
	const { html } = await previewDescription(null, address, { description: `![A](/media/${path}-1280.webp#1280x720)` })
	expect(html).toContain('width="1280" height="720"')
	expect(html).toContain(`srcset="/media/${path}-320.webp 320w, `)
	expect(html).toContain('loading="lazy"')
})

test('an invalid description has no preview', async () => {
	await expect(previewDescription(null, address, { description: 'x'.repeat(30_001) })).rejects.toThrow(Invalid)
	await expect(previewDescription(null, address, {})).rejects.toThrow(Invalid)
})

test('previews are rate limited per member', async () => {
	const [busy, other] = [await makeMember('busy'), await makeMember('other')]
	for (let asked = 0; asked < 60; asked += 1) await previewDescription(busy, address, { description: 'x' })
	await expect(previewDescription(busy, address, { description: 'x' })).rejects.toThrow(TooManyRequests)
	expect(await previewDescription(other, address, { description: 'x' })).toEqual({ html: '<p>x</p>' })
})

test('suggests tags by prefix, most used first', async () => {
	const member = await makeMember('tagger')
	for (const tags of ['react, redux', 'react, re_knit', 'react, redux', 'r%d']) await makeQuestion(member, { tags })
	expect(await suggestTags(' #RE', 3)).toMatchObject([
		{ name: 'react', count: 3 },
		{ name: 'redux', count: 2 },
		{ name: 're_knit', count: 1 },
	])
	expect(await suggestTags('r%', 3)).toMatchObject([{ name: 'r%d', count: 1 }])
	const invalid = ['', ' ', '#', '..', 'a\u0000', 'x'.repeat(36)]
	for (const nothing of invalid) expect(await suggestTags(nothing, 3)).toEqual([])
	const texts = [...invalid, 're', 'r', 'R%', 're_', 'golang', '\u{10ffff}'].map((text) => ({ text, limit: 2 }))
	expect(await suggestTagsForEach(texts)).toEqual(
		await Promise.all(texts.map(({ text, limit }) => suggestTags(text, limit))),
	)
})
