import { expect, test } from 'vitest'
import { linkForeignPictures } from './foreign-pictures.ts'

const rest = 'loading="lazy" decoding="async" referrerpolicy="no-referrer"'
const link = (href: string, words: string) => `<a href="${href}" rel="nofollow ugc noopener">${words}</a>`

test.each([
	['no picture', '<p>a &lt;img src="x"&gt;</p>', '<p>a &lt;img src="x"&gt;</p>'],
	[
		'a picture with a description',
		`<p>See <img src="https://b.example/c.png" title="t" alt="a &amp; b" ${rest} />.</p>`,
		`<p>See ${link('https://b.example/c.png', 'Picture from b.example: a &amp; b')}.</p>`,
	],
	[
		'an imported one that nobody described',
		`<img src="https://i.stack.imgur.com/x.png?a=1&amp;b=2" alt="enter image description here" ${rest} />`,
		link('https://i.stack.imgur.com/x.png?a=1&amp;b=2', 'Picture from i.stack.imgur.com'),
	],
	[
		'one within a link',
		`<p><a href="https://b.example/large" rel="nofollow ugc noopener"><img src="https://b.example/small.png" alt="" ${rest} /></a> <img src="https://c.example/d.png" alt="" ${rest} /></p>`,
		`<p>${link('https://b.example/large', 'Picture from b.example')} ${link('https://c.example/d.png', 'Picture from c.example')}</p>`,
	],
	[
		'one of this site',
		`<img src="/media/posts/mira/0-1280.webp" alt="a" ${rest} />`,
		`<img src="/media/posts/mira/0-1280.webp" alt="a" ${rest} />`,
	],
	[
		'a video and audio, of other sites and of this one',
		`<img src="https://b.example/c.MP4?t=1" alt="a" ${rest} /> <img src="https://b.example/c.mp3#1" alt="" ${rest} /> <img src="/media/c.webm" alt="b" ${rest} /> <img src="c.ogg" alt="" ${rest} />`,
		`${link('https://b.example/c.MP4?t=1', 'Video from b.example: a')} ${link('https://b.example/c.mp3#1', 'Audio from b.example')} ${link('/media/c.webm', 'Video: b')} ${link('c.ogg', 'Audio')}`,
	],
	['an address that is none', `<img src="https://" alt="" ${rest} />`, link('https://', 'Picture from another site')],
	[
		'a host without a scheme',
		`<img src="//b.example/c.png" alt="" ${rest} />`,
		link('//b.example/c.png', 'Picture from another site'),
	],
	[
		'a host in other letters',
		`<img src="https://bücher.example/c.png" alt="&lt;b&gt;" ${rest} />`,
		link('https://bücher.example/c.png', 'Picture from xn--bcher-kva.example: &lt;b&gt;'),
	],
])('%s', (_what, html, expected) => {
	expect(linkForeignPictures(html)).toBe(expected)
	expect(linkForeignPictures(expected)).toBe(expected)
})
