import { expect, test } from 'vitest'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { hasExternalLinks } from './posting.server.ts'

const home = 'https://quad.example'

test.each<[string, boolean]>([
	['No link at all.', false],
	['[here](/forum)', false],
	['[here](#comment-1)', false],
	['[here](https://quad.example/forum)', false],
	['[here](https://quad.example.shoes.example/)', true],
	['[shoes](https://shoes.example/)', true],
	// The renderer removes such an address.
	['[shoes](//shoes.example/)', false],
	['<https://shoes.example/>', true],
	['[write](mailto:shoes@shoes.example)', true],
	['![shoes](https://shoes.example/shoe.png)', true],
	['<a href="https://shoes.example/">shoes</a>', true],
	['[shoes][1]\n\n[1]: https://shoes.example/', true],
	['`https://shoes.example/`', false],
])('%j leads elsewhere: %s', async (markdown, elsewhere) => {
	const { html } = await renderMarkdown(markdown)
	expect(hasExternalLinks(html, home)).toBe(elsewhere)
})
