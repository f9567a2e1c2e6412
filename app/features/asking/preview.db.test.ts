import { expect, test } from 'vitest'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { suggestTags } from '~/features/tags/tags.server.ts'
import { Invalid, TooMany } from '~/lib/errors.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { previewDescription } from './asking.server.ts'

useDatabase()

const address = '203.0.113.5'

test('the preview is what publishing makes of the same text and tags', async () => {
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

test('an uploaded picture keeps its place while it loads, and a phone may take a smaller file', async () => {
	const path = `posts/mira/${'a'.repeat(32)}`
	const { html } = await previewDescription(null, address, { description: `![A](/media/${path}-1280.webp#1280x720)` })
	expect(html).toContain('width="1280" height="720"')
	expect(html).toContain(`srcset="/media/${path}-320.webp 320w, `)
	expect(html).toContain('loading="lazy"')
})

test('a description that could not be published has no preview either', async () => {
	await expect(previewDescription(null, address, { description: 'x'.repeat(30_001) })).rejects.toThrow(Invalid)
	await expect(previewDescription(null, address, {})).rejects.toThrow(Invalid)
})

test('a member who asks for previews without end is told to wait; another one is not', async () => {
	const [busy, other] = [await makeMember('busy'), await makeMember('other')]
	for (let asked = 0; asked < 60; asked += 1) await previewDescription(busy, address, { description: 'x' })
	await expect(previewDescription(busy, address, { description: 'x' })).rejects.toThrow(TooMany)
	expect(await previewDescription(other, address, { description: 'x' })).toEqual({ html: '<p>x</p>' })
})

test('tags are suggested by how they begin, the most used first', async () => {
	const member = await makeMember('tagger')
	for (const tags of ['react, redux', 'react, re_knit', 'react, redux', 'r%d']) await makeQuestion(member, { tags })
	expect(await suggestTags(' #RE', 3)).toMatchObject([
		{ name: 'react', count: 3 },
		{ name: 'redux', count: 2 },
		{ name: 're_knit', count: 1 },
	])
	expect(await suggestTags('r%', 3)).toMatchObject([{ name: 'r%d', count: 1 }])
	for (const nothing of ['', ' ', '#', '..', 'a\u0000', 'x'.repeat(36)])
		expect(await suggestTags(nothing, 3)).toEqual([])
})
