import { randomBytes } from 'node:crypto'
import sharp, { type PngOptions } from 'sharp'
import { expect, test } from 'vitest'
import { picture, pngOf } from '../../../tests/factories/pictures.ts'
import { encodePicture, pictureDigest } from './encode.server.ts'

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>')
const html = Buffer.from('<!DOCTYPE html><script>alert(1)</script>')

test.each<[string, () => Promise<Buffer> | Buffer, string]>([
	['an SVG', () => svg, 'Invalid file type!'],
	['a page of HTML', () => html, 'Invalid file type!'],
	['nothing', () => Buffer.alloc(0), 'Invalid file type!'],
	['a GIF', () => picture('gif'), 'Invalid file type!'],
	['a WebP', () => picture('webp'), 'Invalid file type!'],
	['a TIFF', () => picture('tiff'), 'Invalid file type!'],
	[
		'the first bytes of a JPEG before HTML',
		() => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), html]),
		'Invalid file type!',
	],
	[
		'the first bytes of a PNG before an SVG',
		() => Buffer.concat([pngOf(1, 1).subarray(0, 8), svg]),
		'Invalid file type!',
	],
	['noise', () => randomBytes(4_000), 'Invalid file type!'],
	['a PNG of 30,000 by 30,000', () => pngOf(30_000, 30_000, 900_000), 'This picture has more than 40 megapixels.'],
	['a PNG whose header lies about its size', () => pngOf(6_000, 6_000, 100), 'This picture is damaged'],
	['a JPEG cut in the middle', async () => (await noisy('jpeg')).subarray(0, 9_000), 'This picture is damaged'],
	['a PNG cut in the middle', async () => (await noisy('png')).subarray(0, 9_000), 'This picture is damaged'],
	[
		'an interlaced PNG with 16 bits that would have to be held whole',
		() =>
			sharp({ create: { width: 6_000, height: 6_000, channels: 4, background: '#123' } })
				.toColourspace('rgb16')
				.png({ progressive: true, compressionLevel: 1 })
				.toBuffer(),
		'takes too much memory to read',
	],
	[
		'a progressive JPEG of 30 megapixels that would have to be held whole',
		() =>
			sharp({ create: { width: 6_000, height: 5_000, channels: 3, background: '#123' } })
				.jpeg({ progressive: true })
				.toBuffer(),
		'takes too much memory to read',
	],
])('%s is refused', async (_what, make, message) => {
	await expect(encodePicture(await make(), 'project', null, 'mira')).rejects.toThrow(message)
})

test.each<[string, () => Promise<Buffer>, number, number]>([
	['a JPEG', () => picture('jpeg', 1_600, 1_200), 1_280, 960],
	['a PNG', () => picture('png', 1_600, 1_200), 1_280, 960],
	['a small one, which is not blown up', () => picture('png', 200, 100), 200, 100],
	['a tall one', () => picture('jpeg', 1_000, 4_000), 320, 1_280],
	['a JPEG in CMYK', () => picture('jpeg', 640, 480, (image) => image.toColourspace('cmyk')), 640, 480],
	['a PNG with 16 bits', () => picture('png', 640, 480, (image) => image.toColourspace('rgb16')), 640, 480],
	['a grey JPEG', () => picture('jpeg', 640, 480, (image) => image.greyscale()), 640, 480],
	['a PNG of 16 bits with see-through parts', () => seeThrough('rgb16'), 640, 480],
	['a PNG with a palette and see-through parts', () => seeThrough('srgb', { palette: true }), 640, 480],
	['a PNG on its side', () => picture('png', 640, 480, (image) => image.withMetadata({ orientation: 8 })), 480, 640],
	['a progressive JPEG', () => picture('jpeg', 640, 480, (image) => image.jpeg({ progressive: true })), 640, 480],
	['an interlaced PNG', () => picture('png', 640, 480, (image) => image.png({ progressive: true })), 640, 480],
	['a JPEG with HTML behind it', async () => Buffer.concat([await picture('jpeg'), html]), 640, 480],
	['one just below 40 megapixels', () => picture('jpeg', 7_000, 5_000), 1_280, 914],
])('%s becomes a valid picture in three widths', async (_what, make, width, height) => {
	const read = await encodePicture(await make(), 'project', null, 'mira')
	expect([read.width, read.height]).toEqual([width, height])
	expect(read.files.map((file) => file.width)).toEqual([320, 640, 1280])
	expect(read.colour).toMatch(/^#[0-9a-f]{6}$/)
	for (const { data, width: wanted } of read.files) {
		const made = await sharp(data).metadata()
		expect(made).toMatchObject({ format: 'webp', width: Math.min(wanted, width), space: 'srgb', depth: 'uchar' })
		expect([made.exif, made.icc, made.xmp, made.orientation]).toEqual([undefined, undefined, undefined, undefined])
		expect(data.includes('<script>')).toBe(false)
	}
})

test.each<[string, () => Promise<Buffer>]>([
	['a PNG', () => picture('png')],
	['a PNG with 16 bits', () => picture('png', 640, 480, (image) => image.toColourspace('rgb16'))],
	['a JPEG in the wider space of a phone', () => picture('jpeg', 640, 480, (image) => image.withIccProfile('p3'))],
])('colours survive from %s: the red corner is red and the rest blue', async (_what, make) => {
	const { files } = await encodePicture(await make(), 'project', null, 'mira')
	const { data } = await sharp(files[1]?.data).raw().toBuffer({ resolveWithObject: true })
	expect([...data.subarray(0, 3)].map(near)).toEqual([255, 0, 0].map(near))
	expect([...data.subarray(-3)].map(near)).toEqual([0x20, 0x60, 0xa0].map(near))
})

test('CMYK is converted by its colour profile: red stays red', async () => {
	const printed = await picture('jpeg', 640, 480, (image) => image.toColourspace('cmyk'))
	expect((await sharp(printed).metadata()).space).toBe('cmyk')
	const { files } = await encodePicture(printed, 'project', null, 'mira')
	const { data } = await sharp(files[1]?.data).raw().toBuffer({ resolveWithObject: true })
	const [red = 0, green = 0, blue = 0] = data.subarray(0, 3)
	expect(red).toBeGreaterThan(180)
	expect(Math.max(green, blue)).toBeLessThan(90)
	const [lessRed = 0, , moreBlue = 0] = data.subarray(-3)
	expect(moreBlue).toBeGreaterThan(lessRed + 60)
})

test('transparency is preserved', async () => {
	const { files } = await encodePicture(await seeThrough('srgb'), 'project', null, 'mira')
	const { data, info } = await sharp(files[1]?.data).raw().toBuffer({ resolveWithObject: true })
	expect(info.channels).toBe(4)
	expect(data.at(-1)).toBe(0)
})

test('a picture from a phone is rotated, and its metadata, such as the location, are removed', async () => {
	const gps = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '19/1 4/1 0/1' }, IFD0: { Copyright: 'Mira at home' } }
	const lying = await picture('jpeg', 640, 480, (image) => image.withExif(gps).withMetadata({ orientation: 6 }))
	expect((await sharp(lying).metadata()).orientation).toBe(6)
	const { width, height, files } = await encodePicture(lying, 'project', null, 'mira')
	expect([width, height]).toEqual([480, 640])
	expect(Buffer.concat(files.map(({ data }) => data)).includes('Mira at home')).toBe(false)
	// Rotated by 90° clockwise: the top left corner is at the top right.
	const { data, info } = await sharp(files[1]?.data).raw().toBuffer({ resolveWithObject: true })
	expect([...data.subarray((info.width - 1) * 3, info.width * 3)].map(near)).toEqual([255, 0, 0].map(near))
})

test('of an animated PNG the first frame is kept', async () => {
	const still = await picture('png', 64, 64)
	const header = 8 + 25
	const animated = Buffer.concat([
		still.subarray(0, header),
		Buffer.from('000000086163544c0000000200000000f38d9370', 'hex'),
		still.subarray(header),
	])
	expect(await encodePicture(animated, 'project', null, 'mira')).toMatchObject({ width: 64, height: 64 })
})

test.each([
	['the whole picture, a square of its middle', null, [0x20, 0x60, 0xa0]],
	['a chosen square', { x: 0, y: 0, width: 100, height: 100 }, [255, 0, 0]],
])('a profile picture is %s', async (_what, crop, colour) => {
	const { width, height, files } = await encodePicture(await picture('png', 1_600, 800), 'profile', crop, 'mira')
	expect([width, height]).toEqual([512, 512])
	expect(files.map((file) => file.width)).toEqual([96, 224, 512])
	const { data } = await sharp(files[0]?.data).raw().toBuffer({ resolveWithObject: true })
	const middle = (48 * 96 + 48) * 3
	expect([...data.subarray(middle, middle + 3)].map(near)).toEqual(colour.map(near))
})

test('a crop refers to the upright picture, as the browser shows it', async () => {
	const lying = await picture('jpeg', 640, 480, (image) => image.withMetadata({ orientation: 6 }))
	// After rotation it is 480 wide and 640 high, with its red corner at the top right.
	const part = { x: 380, y: 0, width: 100, height: 100 }
	const { files } = await encodePicture(lying, 'profile', part, 'mira')
	const { data } = await sharp(files[0]?.data).raw().toBuffer({ resolveWithObject: true })
	const middle = (48 * 96 + 48) * 3
	expect([...data.subarray(middle, middle + 3)].map(near)).toEqual([255, 0, 0].map(near))
})

test('a crop outside the picture is refused, one that overlaps its edge is clipped', async () => {
	const image = await picture('png', 200, 200)
	await expect(encodePicture(image, 'profile', { x: 300, y: 0, width: 50, height: 50 }, 'mira')).rejects.toThrow(
		'is outside',
	)
	expect(await encodePicture(image, 'profile', { x: 150, y: 150, width: 100, height: 100 }, 'mira')).toMatchObject({
		width: 512,
	})
})

test.each<[number, string, number, () => Promise<Buffer>]>([
	[4, 'PNGs of 20 megapixels', 120, () => picture('png', 5_000, 4_000)],
	[
		3,
		'progressive JPEGs of 28 megapixels',
		300,
		() => picture('jpeg', 7_000, 4_000, (image) => image.jpeg({ progressive: true, chromaSubsampling: '4:4:4' })),
	],
])('%i %s at once keep memory within %i MB', async (length, _what, most, make) => {
	const large = await make()
	const before = process.memoryUsage().rss
	let highest = before
	const timer = setInterval(() => {
		highest = Math.max(highest, process.memoryUsage().rss)
	}, 5)
	await Promise.all(Array.from({ length }, () => encodePicture(large, 'project', null, 'mira')))
	clearInterval(timer)
	expect((highest - before) / 2 ** 20).toBeLessThan(most)
})

test('a full queue refuses further pictures with a time to retry, and one member cannot fill it', async () => {
	const image = await picture('png', 64, 48)
	const outcomesOf = (owner: string) =>
		Promise.allSettled(Array.from({ length: 30 }, () => encodePicture(image, 'project', null, owner)))
	const [mira, odalys] = await Promise.all([outcomesOf('mira'), outcomesOf('odalys')])
	const taken = [mira, odalys].map((outcomes) => outcomes.filter(({ status }) => status === 'fulfilled').length)
	expect(taken).toEqual([20, 4])
	const refused = [...mira, ...odalys].filter((outcome) => outcome.status === 'rejected')
	for (const { reason } of refused) expect(reason).toMatchObject({ status: 429, retryAfter: 30 })
	expect(await encodePicture(image, 'project', null, 'mira')).toMatchObject({ width: 64 })
})

test('the same bytes with the same crop have the same name, and nothing else has', () => {
	const crop = { x: 1, y: 2, width: 3, height: 4 }
	const names = [
		pictureDigest(svg, null),
		pictureDigest(html, null),
		pictureDigest(svg, crop),
		pictureDigest(svg, { ...crop, x: 2 }),
	]
	expect(new Set(names).size).toBe(4)
	expect(pictureDigest(Buffer.from(svg), { ...crop })).toBe(names[2])
})

/** WebP is lossy: values within 16 count as equal. */
function near(value: number): number {
	return Math.round(value / 32)
}

function noisy(format: 'jpeg' | 'png'): Promise<Buffer> {
	return sharp(randomBytes(300 * 300 * 3), { raw: { width: 300, height: 300, channels: 3 } })
		.toFormat(format)
		.toBuffer()
}

/** A picture whose right half is transparent. */
async function seeThrough(space: string, options: PngOptions = {}): Promise<Buffer> {
	const half = await sharp({ create: { width: 320, height: 480, channels: 3, background: '#2060a0' } })
		.png()
		.toBuffer()
	return sharp({ create: { width: 640, height: 480, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
		.composite([{ input: half, gravity: 'west' }])
		.toColourspace(space)
		.png(options)
		.toBuffer()
}
