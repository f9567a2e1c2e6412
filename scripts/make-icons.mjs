/**
 * Draws the site's icons from its logo. `npm run` does not need it, as the results are in public/. Run it manually when the logo
 * changes: node scripts/make-icons.mjs
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'

const paper = '#faf8f2'
const ink = '#1d1c18'
const ivy = '#1c6b4a'

/**
 * The logo on a background. It fills the square from 2 to 18 of its 20 units.
 * @param size pixels of a side
 * @param share of a side that the logo fills; of a maskable icon, only the inner circle of 80 % is always visible
 * @param look background (`none` for none), corner radius as a share of a side, and the colours of the logo
 */
function draw(size, share, { ground = paper, round = 0, bracket = ink, square = ivy } = {}) {
	const scale = (size * share) / 16
	const edge = size / 2 - 10 * scale
	return Buffer.from(
		`<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
			<rect width="${size}" height="${size}" rx="${size * round}" fill="${ground}"/>
			<g transform="translate(${edge} ${edge}) scale(${scale})">
				<path d="M17 9V3H3v14h7" fill="none" stroke="${bracket}" stroke-width="2"/>
				<path d="M13 12h5v6h-5z" fill="${square}"/>
			</g>
		</svg>`,
	)
}

const png = (svg) => sharp(svg).png({ compressionLevel: 9, palette: true }).toBuffer()

/** An icon file with PNGs in it (Windows Vista and later, all browsers). */
function ico(pictures) {
	const head = Buffer.alloc(6 + 16 * pictures.length)
	head.writeUInt16LE(1, 2)
	head.writeUInt16LE(pictures.length, 4)
	let offset = head.length
	for (const [index, { size, data }] of pictures.entries()) {
		const at = 6 + 16 * index
		head.writeUInt8(size, at)
		head.writeUInt8(size, at + 1)
		head.writeUInt16LE(1, at + 4)
		head.writeUInt16LE(32, at + 6)
		head.writeUInt32LE(data.length, at + 8)
		head.writeUInt32LE(offset, at + 12)
		offset += data.length
	}
	return Buffer.concat([head, ...pictures.map(({ data }) => data)])
}

mkdirSync('public/icons', { recursive: true })
const rounded = { round: 0.2 }
const files = {
	'icons/icon-192.png': await png(draw(192, 0.6, rounded)),
	'icons/icon-512.png': await png(draw(512, 0.6, rounded)),
	'icons/maskable-192.png': await png(draw(192, 0.48)),
	'icons/maskable-512.png': await png(draw(512, 0.48)),
	// iOS rounds it, and shows transparency as black.
	'apple-touch-icon.png': await png(draw(180, 0.58)),
	// Android draws its shape in one colour.
	'icons/badge-96.png': await png(draw(96, 0.8, { ground: 'none', bracket: '#fff', square: '#fff' })),
	'favicon.ico': ico(
		await Promise.all(
			[16, 32, 48].map(async (size) => ({
				size,
				data: await sharp(draw(size, 0.84, { round: 0.15 }))
					.png()
					.toBuffer(),
			})),
		),
	),
}
for (const [name, data] of Object.entries(files)) {
	writeFileSync(`public/${name}`, data)
	console.log(name, data.length)
}
