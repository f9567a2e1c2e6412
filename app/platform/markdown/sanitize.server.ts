import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html'
import { config } from '~/config.server.ts'
import { PICTURE_WIDTHS, pictureSrcSet } from '~/lib/addresses.ts'
import { isVideoOrAudio, linkForeignPictures } from './foreign-pictures.ts'
import { mathAttributes, mathClasses, mathTags, mathTransforms } from './mathml-tags.server.ts'
import { TASK_LABEL } from './rules.server.ts'

/** The level of a text's highest heading: 2 below the title, 3 below "Comments". */
export type TopHeading = 2 | 3

/**
 * Sanitizes HTML before it is stored: only the elements listed here pass. Pictures of other sites become links. Headings are
 * renumbered so that the page's outline has no gaps.
 */
export function sanitize(html: string, topHeading: TopHeading): string {
	const clean = sanitizeHtml(html, { ...allowed, transformTags: { ...transformed, ...renumbered(topHeading) } })
	return linkForeignPictures(withoutEmptyParagraphs(clean))
}

/** Anything but text and elements that {@link sanitize} leaves as they are. */
const notSimple = /<(?!\/?(?:p|strong|em|s|code|ul|ol|li|blockquote)>)|&(?!(?:amp|lt|gt|quot);)/

/**
 * The result of {@link sanitize} for HTML with nothing but text and a few elements without attributes, without its parser, which takes
 * longer than the rest of rendering an ordinary text.
 * @param html correctly nested
 * @returns null for any other HTML
 */
export function sanitizeSimple(html: string): string | null {
	return notSimple.test(html) ? null : withoutEmptyParagraphs(html.replaceAll('&quot;', '"'))
}

function withoutEmptyParagraphs(html: string): string {
	return html.replace(/<p>\s*<\/p>\s*/g, '').trim()
}

/** The classes of the cells of a column that is not read from its beginning: our content security policy forbids inline styles. */
const sides = ['at-center', 'at-right']

/** Given to blocks that begin on the right. */
const direction = { name: 'dir', values: ['rtl'] }

const allowed: IOptions = {
	allowedTags: [
		...['p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li', 'h2', 'h3', 'h4', 'h5', 'h6'],
		...['strong', 'b', 'em', 'i', 'u', 's', 'del', 'sub', 'sup', 'kbd', 'code', 'a', 'img', 'input'],
		...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'figure', 'header', 'pre', 'span'],
		...mathTags,
	],
	allowedAttributes: {
		a: ['href', 'title', 'rel'],
		img: ['src', 'srcset', 'sizes', 'width', 'height', 'alt', 'title', 'loading', 'decoding', 'referrerpolicy'],
		ol: ['start', direction],
		ul: [direction],
		blockquote: [direction],
		table: [direction],
		input: ['type', 'aria-label', 'disabled', 'checked'],
		pre: [{ name: 'tabindex', values: ['0'] }],
		figure: [{ name: 'tabindex', values: ['0'] }],
		span: ['title'],
		...mathAttributes,
	},
	allowedClasses: {
		figure: ['code', 'formula'],
		th: sides,
		td: sides,
		span: ['s-k', 's-f', 's-s', 's-n', 's-t', 's-c', 'formula-error'],
		...mathClasses,
	},
	allowedSchemes: ['http', 'https', 'mailto'],
	allowedSchemesByTag: { img: ['https'] },
	allowProtocolRelative: false,
	disallowedTagsMode: 'discard',
	// Removes a picture whose address is not allowed.
	exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
	nestingLimit: 100,
}

const transformed: IOptions['transformTags'] = {
	...mathTransforms,
	strike: 's',
	th: atItsSide,
	td: atItsSide,
	// Only those of task lists, and these only in their one form.
	input: (tagName, { checked }) => ({
		tagName,
		attribs: {
			type: 'checkbox',
			'aria-label': TASK_LABEL,
			disabled: '',
			...(checked !== undefined && { checked: '' }),
		},
	}),
	a: (tagName, { href = '', title = '' }) => ({
		tagName,
		attribs: without({ href, title, rel: 'nofollow ugc noopener' }),
	}),
	img: (tagName, { src = '', alt = '', title = '' }) => ({
		tagName,
		attribs: {
			...without({ src: pictureOf(src), title }),
			...placeOf(src),
			alt,
			loading: 'lazy',
			decoding: 'async',
			referrerpolicy: 'no-referrer',
		},
	}),
}

/** Replaces the style with which the parser aligns a column, `text-align:right`, by a class. */
function atItsSide(tagName: string, { style = '' }: Attributes): Tag {
	const [, side] = /^text-align:(center|right)$/.exec(style) ?? []
	return { tagName, attribs: side ? { class: `at-${side}` } : {} }
}

/**
 * The allowed address of a picture: https or this site. Old posts use http, which becomes https; of this site's paths, only
 * pictures count. Videos and audio become links, which may lead anywhere on this site.
 */
function pictureOf(src: string): string {
	const { publicUrl } = config()
	// As a browser reads it: without the dots of /media/../logout.
	const own = /^\/|^https?:/i.test(src) ? URL.parse(src, publicUrl) : null
	if (own?.origin === publicUrl && own.pathname.startsWith('/media/')) return own.pathname + own.search + own.hash
	const secure = src.replace(/^http:\/\//i, 'https://')
	return /^https:\/\//i.test(secure) || isVideoOrAudio(secure) ? secure : ''
}

const uploaded = /^\/media\/(posts\/[a-z0-9_.-]+\/[0-9a-f]{32})-1280\.webp#(\d{1,4})x(\d{1,4})$/

/**
 * The size of an uploaded picture, from its address: reserves space while it loads, and lets a phone load a smaller file. Whoever
 * forges the size only distorts their own picture.
 */
function placeOf(src: string): Attributes {
	const [, path, width = '', height = ''] = uploaded.exec(src) ?? []
	if (!path || Number(width) < 1 || Number(height) < 1) return {}
	return { width, height, srcset: pictureSrcSet(path, PICTURE_WIDTHS), sizes: '(min-width: 46rem) 44rem, 100vw' }
}

function without(attributes: Attributes): Attributes {
	return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== ''))
}

/** Transformers for one text: its highest heading becomes `top`, deeper ones follow without gaps. */
function renumbered(top: TopHeading): NonNullable<IOptions['transformTags']> {
	const above: number[] = []
	const renumber = (tagName: string, attribs: Attributes) => {
		const level = Number(tagName.slice(1))
		while (above.length > 0 && level <= (above.at(-1) ?? 0)) above.pop()
		above.push(level)
		return { tagName: `h${Math.min(6, top + above.length - 1)}`, attribs }
	}
	return Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, renumber]))
}
