/**
 * Makes the project's subsets of its text face: `npm run` does not need it, the results are in app/ui/fonts.
 * Run it manually after an update of the font's package: node scripts/subset-fonts.mjs
 *
 * The package's latin file is 47 KB. The interface uses the weights 400 to 700 and few of its layout features. What a page in
 * English needs is two files of less than 14 KB, as much as a server may send before it must wait for an answer: letters with the
 * marks that stand beside them, so that their kerning stays, and digits with other common signs. Accented letters and rare signs are a
 * third file, which a browser fetches when it meets one. The face of code is cut in the same way; its other letters come from the
 * package's own file. Formulas have a face with the tables that stretch brackets and roots; it is fetched where a formula is shown and
 * the system has none.
 *
 * The server draws share cards with the same face, in the plain form that its text renderer reads, wherever it runs. Its
 * letters are those that app/features/profiles/share-card.server.ts calls drawable.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import subsetFont from 'subset-font'
import { roundKerning } from './support/round-kerning.mjs'

const files = 'node_modules/@fontsource-variable/schibsted-grotesk/files'
const source = `${files}/schibsted-grotesk-latin-wght-normal.woff2`

const range = (first, last) => String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i))

const basic = `${range(0x20, 0x7e)}\u00a0\u00b7\u00d7é–—‘’“”•…\u2191\u2193\u2212`
const letters = /[A-Za-z .,\-'’"“”?!:;()/]/g

/** In units of 2048 for an em: text of 16 px moves by 0.06 px at most. */
const KERNING_STEP = 8

/** The same ranges are in app/ui/fonts.css. */
const cuts = {
	'schibsted-grotesk-letters': basic.match(letters).join(''),
	'schibsted-grotesk-signs': basic.replace(letters, ''),
	'schibsted-grotesk-latin-1': `${range(0xa1, 0xff).replace(/[·×é]/g, '')}\u0131\u0152\u0153${range(0x2010, 0x2025).replace(/[–—‘’“”•]/g, '')}\u20ac\u2122`,
}

for (const [name, text] of Object.entries(cuts)) {
	const options = { keepFeatures: ['kern', 'tnum'], noHinting: true }
	const plain = await subsetFont(readFileSync(source), text, {
		...options,
		targetFormat: 'truetype',
		variationAxes: { wght: { min: 400, max: 700 } },
	})
	roundKerning(plain, KERNING_STEP)
	// A second pass, which merges what has become equal.
	const font = await subsetFont(plain, undefined, { ...options, targetFormat: 'woff2', keepAllGlyphs: true })
	writeFileSync(`app/ui/fonts/${name}.woff2`, font)
	console.log(name, font.length)
}

const mono = await subsetFont(
	readFileSync('node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2'),
	`${range(0x20, 0x7e)}\u00a0\u00b7\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2190\u2192`,
	// Nothing uses its fractions.
	{ targetFormat: 'woff2', noHinting: true, keepFeatures: [] },
)
writeFileSync('app/ui/fonts/quad-mono.woff2', mono)
console.log('quad-mono', mono.length)

// Letters of formulas in the styles that have commands, and symbols, without those that are rare.
const formulas = [
	...[
		[0x20, 0x7e],
		[0xa0, 0xff],
		[0x131, 0x131],
		[0x237, 0x237],
		[0x2c6, 0x2dd],
		[0x300, 0x338],
		[0x391, 0x3f6],
	],
	...[
		[0x2010, 0x2037],
		[0x2057, 0x2064],
		[0x20d0, 0x20ef],
		[0x2100, 0x214f],
		[0x2190, 0x21ff],
		[0x2200, 0x22ff],
	],
	...[
		[0x2308, 0x230b],
		[0x2320, 0x2321],
		[0x239b, 0x23b1],
		[0x23dc, 0x23e1],
		[0x25a0, 0x25cf],
		[0x27e6, 0x27ef],
	],
	...[
		[0x27f5, 0x27ff],
		[0x2a00, 0x2a10],
		[0x2a7d, 0x2a7e],
		[0x2aaf, 0x2ab0],
		[0x1d400, 0x1d4cf],
		[0x1d504, 0x1d56b],
	],
	...[
		[0x1d6a4, 0x1d71b],
		[0x1d7ce, 0x1d7e1],
	],
]
const math = await subsetFont(
	readFileSync('node_modules/@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2'),
	formulas.map(([first, last]) => range(first, last)).join(''),
	{ targetFormat: 'woff2', noHinting: true },
)
writeFileSync('app/ui/fonts/quad-math.woff2', math)
console.log('quad-math', math.length)

const drawable = `${range(0x20, 0x7e)}${range(0xa0, 0xac)}${range(0xae, 0x17e)}ȘșȚț–—‘’‚“”„†•…€`
for (const part of ['latin', 'latin-ext']) {
	const font = await subsetFont(readFileSync(`${files}/schibsted-grotesk-${part}-wght-normal.woff2`), drawable, {
		targetFormat: 'truetype',
		variationAxes: { wght: { min: 400, max: 700 } },
		keepFeatures: ['kern'],
		noHinting: true,
	})
	writeFileSync(`app/features/profiles/data/card-${part}.ttf`, font)
	console.log(`card-${part}`, font.length)
}
