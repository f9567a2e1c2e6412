// npm run bench:pictures: the cost of processing large pictures.
import { randomBytes } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import sharp from 'sharp'
import { encodePicture } from '../app/features/pictures/encode.server.ts'

const rounds = 10
const wide = { width: 7_300, height: 5_475 }
const noise = await sharp(randomBytes(900 * 675 * 3), { raw: { width: 900, height: 675, channels: 3 } })
	.resize(wide)
	.jpeg({ quality: 55 })
	.toBuffer()
const files = {
	'JPEG of 40 megapixels': noise,
	'the same, lying on its side': await sharp(noise).withMetadata({ orientation: 6 }).jpeg({ quality: 55 }).toBuffer(),
	'PNG of 40 megapixels': await sharp({ create: { ...wide, channels: 4, background: '#345' } })
		.png()
		.toBuffer(),
	'PNG of 20 megapixels, interlaced': await sharp({
		create: { width: 5_000, height: 4_000, channels: 4, background: '#345' },
	})
		.png({ progressive: true })
		.toBuffer(),
}

process.stdout.write(
	'| picture | KB | ms each | growth of memory, MB | longest stop of the event loop, ms |\n|---|---|---|---|---|\n',
)
for (const [name, bytes] of Object.entries(files)) {
	const before = process.memoryUsage().rss
	let highest = before
	const timer = setInterval(() => {
		highest = Math.max(highest, process.memoryUsage().rss)
	}, 5)
	const delay = monitorEventLoopDelay({ resolution: 1 })
	delay.enable()
	const began = performance.now()
	await Promise.all(Array.from({ length: rounds }, () => encodePicture(bytes, 'project', null, 'mira')))
	const each = (performance.now() - began) / rounds
	delay.disable()
	clearInterval(timer)
	const figures = [bytes.length / 1024, each, (highest - before) / 2 ** 20, delay.max / 1e6].map(Math.round)
	process.stdout.write(`| ${name} | ${figures.join(' | ')} |\n`)
}
