import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

/** A real picture of this size: a gradient with a red top left corner. */
export async function picture(
	format: 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff',
	width = 640,
	height = 480,
	change: (image: Sharp) => Sharp = (image) => image,
): Promise<Buffer> {
	const corner = {
		create: { width: Math.ceil(width / 4), height: Math.ceil(height / 4), channels: 3, background: '#ff0000' },
	} as const
	const base = sharp({ create: { width, height, channels: 3, background: '#2060a0' } })
	const image = base.composite([{ input: await sharp(corner).png().toBuffer(), gravity: 'northwest' }])
	return change(sharp(await image.png({ compressionLevel: 1 }).toBuffer()))
		.toFormat(format)
		.toBuffer()
}

/** A PNG with this size in its header, in 8-bit grey, and this much image data. */
export function pngOf(width: number, height: number, dataBytes = 0): Buffer {
	const header = Buffer.alloc(13)
	header.writeUInt32BE(width, 0)
	header.writeUInt32BE(height, 4)
	header.set([8, 0, 0, 0, 0], 8)
	const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
	return Buffer.concat([
		signature,
		chunk('IHDR', header),
		chunk('IDAT', deflateSync(Buffer.alloc(dataBytes))),
		chunk('IEND'),
	])
}

function chunk(name: string, data = Buffer.alloc(0)): Buffer {
	const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
	const frame = Buffer.alloc(body.length + 8)
	frame.writeUInt32BE(data.length, 0)
	frame.set(body, 4)
	frame.writeUInt32BE(crc32(body), body.length + 4)
	return frame
}
