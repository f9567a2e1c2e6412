import { createHash } from 'node:crypto'
import type { Metadata, OutputInfo, Region, Sharp } from 'sharp'
import { z } from 'zod'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import { loadSharp } from '~/lib/sharp.server.ts'
import { type PictureKind, pictureRefusals, widthsOfKind } from './pictures.view.ts'

/** 40 megapixels, checked in the header before decoding. */
const MAX_PIXELS = 40_000_000
/**
 * The memory limit for a picture that cannot be decoded line by line: an interlaced PNG, a rotated picture, a progressive JPEG. The process
 * then grows by less than 300 MB in all (`npm run bench:pictures`).
 */
const MAX_HELD_BYTES = 170_000_000
/** The queue's length; each picture holds up to 5 MB. */
const MAX_WAITING = 24
/** The share of one member, so that nobody fills the queue. */
const MAX_WAITING_PER_MEMBER = 20
/** Far more than 40 megapixels need; only crafted files take longer. */
const MAX_SECONDS = 60

/** The part to keep, in pixels of the upright picture. */
export const cropSchema = z.object({
	x: z.number().min(0),
	y: z.number().min(0),
	width: z.number().min(1),
	height: z.number().min(1),
})
export type Crop = z.output<typeof cropSchema>

export interface EncodedPicture {
	/** Smallest first, as WebP without metadata. */
	files: { width: number; data: Buffer }[]
	/** Pixels of the largest file. */
	width: number
	height: number
	/** Average colour as `#rrggbb`, shown while the picture loads. */
	colour: string
}

/** Identifies a picture by its source: the same bytes with the same crop are the same picture. 32 hex digits. */
export function pictureDigest(bytes: Uint8Array, crop: Crop | null): string {
	return createHash('sha256')
		.update(bytes)
		.update(JSON.stringify(crop ? [crop.x, crop.y, crop.width, crop.height] : null))
		.digest('hex')
		.slice(0, 32)
}

/**
 * Decodes a JPEG or PNG and encodes it in the widths of its kind: upright, in sRGB with 8 bits, without metadata. Of an animated PNG only
 * the first frame is used.
 * @param crop the part to keep; null for all of it, or the centre square of a profile picture
 * @param owner key of the queue's limit
 * @throws Invalid if it is another format, damaged, or too large; TooManyRequests if the queue is full
 */
export function encodePicture(
	bytes: Buffer,
	kind: PictureKind,
	crop: Crop | null,
	owner: string,
): Promise<EncodedPicture> {
	return oneAtATime(owner, async () => {
		const format = formatOf(bytes)
		const sharp = await loadSharp()
		const header = await sharp(bytes, { limitInputPixels: false })
			.metadata()
			.catch(() => refuse('type'))
		if (header.format !== format) return refuse('type')
		requireDecodableSize(header)
		const upright = sharp(bytes, {
			limitInputPixels: MAX_PIXELS,
			failOn: 'truncated',
			sequentialRead: true,
		})
			.timeout({ seconds: MAX_SECONDS })
			.autoOrient()
		const base = await shape(upright, kind, crop && regionOf(crop, header))
			.raw()
			.toBuffer({ resolveWithObject: true })
			.catch(() => refuse('damaged'))
		return encode(base.data, base.info, kind)
	})
}

function formatOf(bytes: Buffer): 'jpeg' | 'png' {
	if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpeg'
	if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'png'
	return refuse('type')
}

function requireDecodableSize(header: Metadata): void {
	if (header.width * header.height > MAX_PIXELS) refuse('pixels')
	if (header.width * header.height * heldBytesPerPixel(header) > MAX_HELD_BYTES) refuse('held')
}

function heldBytesPerPixel({ format, channels, depth, isProgressive, orientation = 1 }: Metadata): number {
	// Two bytes per coefficient. Chroma subsampling is ignored, as the header can make it pointless.
	if (format === 'jpeg' && isProgressive) return channels * 2
	if (format === 'png' && (isProgressive || orientation > 1)) return channels * (depth === 'ushort' ? 2 : 1)
	return 0
}

/** The crop in whole pixels within the upright picture. */
function regionOf(crop: Crop, { autoOrient }: Metadata): Region {
	const left = Math.round(crop.x)
	const top = Math.round(crop.y)
	const width = Math.min(Math.round(crop.width), autoOrient.width - left)
	const height = Math.min(Math.round(crop.height), autoOrient.height - top)
	if (width < 1 || height < 1) refuse('crop')
	return { left, top, width, height }
}

function shape(picture: Sharp, kind: PictureKind, region: Region | null): Sharp {
	const part = region ? picture.extract(region) : picture
	const maxSide = widthsOfKind(kind)[2]
	const sized =
		kind === 'profile'
			? part.resize(maxSide, maxSide, { fit: 'cover' })
			: part.resize(maxSide, kind === 'post' || kind === 'message' ? maxSide * 2 : maxSide, {
					fit: 'inside',
					withoutEnlargement: true,
				})
	return sized.toColourspace('srgb')
}

async function encode(
	data: Buffer,
	{ width, height, channels }: OutputInfo,
	kind: PictureKind,
): Promise<EncodedPicture> {
	const sharp = await loadSharp()
	const raw = () => sharp(data, { raw: { width, height, channels } })
	const files = []
	for (const wanted of widthsOfKind(kind))
		files.push({
			width: wanted,
			data: await raw().resize({ width: wanted, withoutEnlargement: true }).webp({ quality: 82 }).toBuffer(),
		})
	const mean = await raw().flatten({ background: '#ffffff' }).resize(1, 1, { fit: 'fill' }).raw().toBuffer()
	const colour = `#${[0, 1, 2].map((channel) => (mean[channel] ?? mean[0] ?? 0).toString(16).padStart(2, '0')).join('')}`
	return { files, width, height, colour }
}

let last: Promise<unknown> = Promise.resolve()
/** The owner of each queued picture. */
const queue: string[] = []

async function oneAtATime<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
	const own = queue.filter((other) => other === owner).length
	if (queue.length >= MAX_WAITING || own >= MAX_WAITING_PER_MEMBER) throw new TooManyRequests(pictureRefusals.busy, 30)
	queue.push(owner)
	const turn = last.then(work, work)
	last = turn.catch(() => {})
	try {
		return await turn
	} finally {
		queue.splice(queue.indexOf(owner), 1)
	}
}

function refuse(reason: keyof typeof pictureRefusals): never {
	throw new Invalid(pictureRefusals[reason])
}
