import { remember } from '~/lib/remember.ts'
import { loadSharp } from '~/lib/sharp.server.ts'
import { themeColors } from '~/lib/theme-colors.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { siteAppearance } from './appearance.server.ts'

/* Replacements for the icons in public/, for a site with a logo or an accent of its own. */

/** For each file: pixels per side, the share of it that the logo fills, and the radius of the background's corners. */
const squares: Record<string, { size: number; share: number; round: number }> = {
	'/icons/icon-192.png': { size: 192, share: 0.6, round: 0.2 },
	'/icons/icon-512.png': { size: 512, share: 0.6, round: 0.2 },
	'/icons/maskable-192.png': { size: 192, share: 0.48, round: 0 },
	'/icons/maskable-512.png': { size: 512, share: 0.48, round: 0 },
	'/apple-touch-icon.png': { size: 180, share: 0.58, round: 0 },
	'/favicon.ico': { size: 48, share: 0.84, round: 0.15 },
}

/** The icon of browser tabs, as SVG. */
const FAVICON = '/favicon.svg'
/** The logo for mails: twice as large as it is shown, with a background of its own. */
export const MAIL_LOGO = '/icons/logo.png'
const MAIL_LOGO_HEIGHT = 48
const MAX_MAIL_LOGO_WIDTH = 480

export interface IconFile {
	type: 'image/png' | 'image/svg+xml'
	body: Buffer
}

/** Drawn files by path, for the current version of the look. */
const drawn = remember('site-icons', () => ({ version: '', files: new Map<string, Promise<IconFile>>() }))

/** Whether {@link siteIcon} may have something at this path. */
export function isIconPath(path: string): boolean {
	return path in squares || path === FAVICON || path === MAIL_LOGO
}

/**
 * The icon at a path; null where the site uses the one in public/.
 * @throws Unavailable when the storage of the logo does not answer
 */
export async function siteIcon(path: string): Promise<IconFile | null> {
	const { style, logo } = siteAppearance()
	if (!style || !isIconPath(path) || (path === MAIL_LOGO && !logo)) return null
	if (drawn.version !== style.version) {
		drawn.version = style.version
		drawn.files = new Map()
	}
	const { files } = drawn
	const file = files.get(path) ?? draw(path)
	files.set(path, file)
	// A failed drawing is retried at the next request.
	file.catch(() => files.delete(path))
	return file
}

async function draw(path: string): Promise<IconFile> {
	if (path === FAVICON) return { type: 'image/svg+xml', body: await drawFavicon() }
	if (path === MAIL_LOGO) return { type: 'image/png', body: await drawMailLogo() }
	const { size, share, round } = squares[path] as (typeof squares)[string]
	return { type: 'image/png', body: await drawSquare(size, share, round) }
}

async function drawSquare(size: number, share: number, round: number): Promise<Buffer> {
	const { accents } = siteAppearance()
	const logo = await readLogo()
	const mark = logo ? '' : markAt(size, share, accents.light)
	const sharp = await loadSharp()
	const square = sharp(
		svg(size, `<rect width="100%" height="100%" rx="${size * round}" fill="${groundColour()}"/>${mark}`),
	)
	if (!logo) return square.png({ compressionLevel: 9 }).toBuffer()
	const side = Math.round(size * share)
	const inside = await sharp(logo).resize(side, side, { fit: 'inside' }).png().toBuffer()
	return square
		.composite([{ input: inside, gravity: 'centre' }])
		.png({ compressionLevel: 9 })
		.toBuffer()
}

/** Draws the SVG icon: it follows the browser's theme, or holds the logo. */
async function drawFavicon(): Promise<Buffer> {
	const { accents } = siteAppearance()
	if (await readLogo()) {
		const icon = await drawSquare(64, 0.9, 0.15)
		return Buffer.from(
			`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><image width="64" height="64" href="data:image/png;base64,${icon.toString('base64')}"/></svg>`,
		)
	}
	return Buffer.from(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><style>.q{stroke:#1d1c18}.d{fill:${accents.light}}@media (prefers-color-scheme:dark){.q{stroke:#ece9e0}.d{fill:${accents.dark}}}</style><path class="q" d="M17 9V3H3v14h7" fill="none" stroke-width="2"/><path class="d" d="M13 12h5v6h-5z"/></svg>`,
	)
}

async function drawMailLogo(): Promise<Buffer> {
	const logo = await readLogo()
	if (!logo) throw new Error('The file of the logo is missing.')
	const sharp = await loadSharp()
	return sharp(logo)
		.resize(MAX_MAIL_LOGO_WIDTH, MAIL_LOGO_HEIGHT, { fit: 'inside' })
		.flatten({ background: groundColour() })
		.png({ compressionLevel: 9 })
		.toBuffer()
}

/** Icons have a background, so that the logo is visible wherever a system puts them. */
function groundColour(): string {
	return siteAppearance().ground === 'dark' ? themeColors.dark : themeColors.light
}

/** The largest file of the logo; null where there is none. */
async function readLogo(): Promise<Buffer | null> {
	const { logo } = siteAppearance()
	return logo && (await storage()).read(`${logo.path}-1280.webp`)
}

/** DevQuad's own logo as scripts/make-icons.mjs draws it: it fills a square from 2 to 18 of its 20 units. */
function markAt(size: number, share: number, accent: string): string {
	const scale = (size * share) / 16
	const edge = size / 2 - 10 * scale
	return `<g transform="translate(${edge} ${edge}) scale(${scale})"><path d="M17 9V3H3v14h7" fill="none" stroke="#1d1c18" stroke-width="2"/><path d="M13 12h5v6h-5z" fill="${accent}"/></g>`
}

function svg(size: number, content: string): Buffer {
	return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${content}</svg>`)
}
