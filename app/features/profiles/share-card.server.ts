import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { OverlayOptions } from 'sharp'
import { config } from '~/config.server.ts'
import { campusOf } from '~/features/campus/campus.view.ts'
import { studiesText } from '~/features/members/members.view.ts'
import { escapeHtml } from '~/lib/html.ts'
import { shorten } from '~/lib/page-meta.ts'
import { remember } from '~/lib/remember.ts'
import { loadSharp } from '~/lib/sharp.server.ts'
import { siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { findProfile } from './profiles.queries.server.ts'

const width = 1_200
const height = 630
const margin = 80
/** Increase this when the drawing changes, so that browsers fetch the new one. */
const drawing = 1
/** Cards are about 20 KB; a shared link is requested by a few readers at once. */
const MAX_CACHED = 50

const colours = { paper: '#faf8f2', ink: '#1d1c18', ink2: '#4b483f', ink3: '#6a665a', line: '#cbc5b5' }
const ivy = () => siteAppearance().accents.light
const fonts = ['card-latin-ext.ttf', 'card-latin.ttf'].map((file) => join('app/features/profiles/data', file))
const cards = remember('share-cards', () => new Map<string, Promise<Buffer>>())

/**
 * The preview picture of a shared link to a member's page. A member who left the community list, one with a hidden
 * profile, and an unknown name all get the site's own card, which reveals nothing about them.
 * @returns the ETag, and a function that draws the picture
 */
export async function getShareCard(username: string): Promise<{ tag: string; draw: () => Promise<Buffer> }> {
	const card = await findShareCard(username)
	const brand = drawnSiteName(siteName())
	const hash = createHash('sha256')
		.update(JSON.stringify([drawing, brand, ivy(), card]))
		.digest('base64url')
		.slice(0, 22)
	return { tag: `"${hash}"`, draw: () => cachedCard(hash, () => drawCard(card, brand)) }
}

/** The site's name as cards show it: its address instead of a name in another script. */
export function drawnSiteName(name: string): string {
	return draws(name) || new URL(config().publicUrl).host
}

/** The content of a member's card, limited to what visitors may know; null for the site's own card. */
export async function findShareCard(username: string): Promise<ShareCard | null> {
	const row = await findProfile(username.toLowerCase(), { viewerId: null })
	return row?.listed && !row.imported && !row.hidden ? shareCard(row, campusOf(row)) : null
}

/** A card as PNG, 1,200 × 630. @param card null for the site's own */
export async function drawCard(card: ShareCard | null, siteName: string): Promise<Buffer> {
	await loadFonts()
	const lines = await Promise.all(card ? linesOf(card) : siteLines(siteName))
	const top = await stack(lines, 190)
	const brand = await text(siteName, { size: 34, weight: 700, colour: colours.ink })
	const chips = card ? await chipsOf(card.skills, top.end + 30) : { shapes: '', overlays: [] }
	const shapes = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
		<rect width="${width}" height="${height}" fill="${colours.paper}"/>
		<rect width="${width}" height="12" fill="${ivy()}"/>
		<g transform="translate(${margin} 76) scale(2)"><path d="M17 9V3H3v14h7" fill="none" stroke="${colours.ink}" stroke-width="2"/><path d="M13 12h5v6h-5z" fill="${ivy()}"/></g>
		<rect x="${margin}" y="150" width="${width - 2 * margin}" height="2" fill="${colours.ink}"/>
		${chips.shapes}</svg>`
	const sharp = await loadSharp()
	return sharp(Buffer.from(shapes))
		.composite([
			{ input: brand.image, left: margin + 54, top: 96 - Math.round(brand.height / 2) },
			...top.overlays,
			...chips.overlays,
		])
		.png({ palette: true, colours: 64, dither: 0 })
		.toBuffer()
}

interface Style {
	size: number
	weight: 400 | 600 | 700
	colour: string
	/** Pixels of space below the line. */
	after?: number
}

interface Drawn {
	image: Buffer
	width: number
	height: number
	after: number
}

function linesOf({ name, username, studies, university, verified }: ShareCard): Promise<Drawn>[] {
	const size = name.length > 34 ? 46 : name.length > 22 ? 60 : 80
	const place = verified ? `Verified student of ${university}` : university
	return [
		text(name, { size, weight: 700, colour: colours.ink, after: 16 }),
		name === `@${username}` ? null : text(`@${username}`, { size: 30, weight: 400, colour: colours.ink3, after: 38 }),
		studies && text(studies, { size: 34, weight: 600, colour: colours.ink2, after: 12 }),
		place && text(place, { size: 32, weight: 400, colour: verified ? ivy() : colours.ink2, after: 12 }),
	].filter((line) => line !== null && line !== '')
}

function siteLines(siteName: string): Promise<Drawn>[] {
	return [
		text(siteName, { size: 80, weight: 700, colour: colours.ink, after: 30 }),
		text('Connect, collaborate, build and learn new skills.', { size: 36, weight: 400, colour: colours.ink2 }),
	]
}

/** Stacks lines, starting at `top`. */
async function stack(lines: Drawn[], top: number): Promise<{ overlays: OverlayOptions[]; end: number }> {
	let end = top
	const overlays = lines.map((line) => {
		const overlay = { input: line.image, left: margin, top: end }
		end += line.height + line.after
		return overlay
	})
	return { overlays, end }
}

/** A row of framed skills, as many as fit. */
async function chipsOf(skills: string[], top: number): Promise<{ shapes: string; overlays: OverlayOptions[] }> {
	const inside = 18
	const tall = 52
	const y = Math.min(Math.max(top, 470), height - tall - 50)
	const drawn = await Promise.all(skills.map((skill) => text(skill, { size: 26, weight: 400, colour: colours.ink })))
	let x = margin
	const shapes: string[] = []
	const overlays: OverlayOptions[] = []
	for (const { image, ...size } of drawn) {
		const wide = size.width + 2 * inside
		if (x + wide > width - margin) break
		shapes.push(
			`<rect x="${x + 1}" y="${y + 1}" width="${wide - 2}" height="${tall - 2}" rx="4" fill="none" stroke="${colours.line}" stroke-width="2"/>`,
		)
		overlays.push({ input: image, left: x + inside, top: y + Math.round((tall - size.height) / 2) })
		x += wide + 12
	}
	return { shapes: shapes.join(''), overlays }
}

/** A line of text, shrunk until it fits between the margins. Lines of the same font size have the same height. */
async function text(line: string, { size, weight, colour, after = 0 }: Style): Promise<Drawn> {
	const [whole, tailOnly] = await Promise.all([
		render(line, tail, size, weight, colour),
		render('', tail, size, weight, colour),
	])
	const wide = whole.info.width - tailOnly.info.width
	const maxWidth = width - 2 * margin
	if (wide > maxWidth) return text(line, { size: Math.floor((size * maxWidth) / wide) - 1, weight, colour, after })
	return { image: whole.data, width: wide, height: whole.info.height, after }
}

/** The image of a text is only as high as its letters. These invisible ones, the tallest and the lowest, equalize the height. */
const tail = 'Ép'

async function render(
	line: string,
	unseen: string,
	size: number,
	weight: number,
	colour: string,
	fontfile = fonts.at(-1) ?? '',
) {
	const seen = `<span foreground="${colour}">${escapeHtml(line)}</span>`
	const markup = `<span weight="${weight}">${seen}<span alpha="1">${unseen}</span></span>`
	// At 72 dpi a point is a pixel.
	const sharp = await loadSharp()
	return sharp({ text: { text: markup, font: `Schibsted Grotesk ${size}`, fontfile, rgba: true, dpi: 72 } })
		.png()
		.toBuffer({ resolveWithObject: true })
}

let loaded: Promise<unknown> | undefined

/**
 * A text is drawn with one font file; the renderer keeps every file that it has loaded, and falls back to the others
 * for missing glyphs.
 */
function loadFonts(): Promise<unknown> {
	loaded ??= Promise.all(fonts.map((file) => render('a', '', 10, 400, colours.ink, file)))
	return loaded
}

function cachedCard(key: string, draw: () => Promise<Buffer>): Promise<Buffer> {
	const had = cards.get(key)
	cards.delete(key)
	const card = had ?? draw()
	cards.set(key, card)
	card.catch(() => cards.delete(key))
	const oldest = cards.keys().next().value
	if (cards.size > MAX_CACHED && oldest !== undefined) cards.delete(oldest)
	return card
}

/** The content of a share card, all of it public. */
export interface ShareCard {
	name: string
	username: string
	/** “CSE, 3rd year, semester 6”, or ''. */
	studies: string
	university: string
	/** Whether they are a verified student of the university. */
	verified: boolean
	skills: string[]
}

interface Shown {
	name: string
	username: string
	enrol_in_branch_name: string
	current_year: number | null
	current_semester: number | null
	university_name: string
	skills: string[]
}

/** The characters in the cards' typeface; scripts/subset-fonts.mjs generates its files from the same list. */
const drawable = /^[ -~\u00a0-\u00ac\u00ae-\u017eȘșȚț–—‘’‚“”„†•…€]*$/
const MAX_SKILLS = 12

/** The text, or '' where the typeface lacks one of its characters. */
function draws(text: string): string {
	const composed = text.normalize('NFC')
	return drawable.test(composed) ? composed : ''
}

/**
 * A member's card. Characters that the typeface lacks are left out, and a name in another script is replaced by the
 * username, so that a card never shows empty boxes.
 * @param campus the university where they are a verified student, or ''
 */
export function shareCard(row: Shown, campus: string): ShareCard {
	const university = draws(campus) || draws(row.university_name)
	const studies = { branch: draws(row.enrol_in_branch_name), year: row.current_year, semester: row.current_semester }
	return {
		name: shorten(draws(row.name) || `@${row.username}`, 48),
		username: shorten(row.username, 40),
		studies: shorten(studiesText(studies), 60),
		university: shorten(university, 60),
		verified: campus !== '' && university !== '',
		skills: row.skills.filter((skill) => draws(skill) !== '').slice(0, MAX_SKILLS),
	}
}
