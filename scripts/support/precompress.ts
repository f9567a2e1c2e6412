import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /\.(js|css|svg|json|webmanifest|txt|map)$/

/**
 * Writes a .br and a .gz file beside each text asset of the browser's build, at the highest level. The last asset, the list of
 * routes, is written with the server's build, so the folder is processed again after that.
 */
export function precompress(): Plugin {
	let assets = ''
	return {
		name: 'precompress',
		apply: 'build',
		enforce: 'post',
		writeBundle: {
			order: 'post',
			sequential: true,
			handler({ dir = '' }) {
				if (this.environment.name === 'client') assets = dir
				const files = readdirSync(assets, { recursive: true, encoding: 'utf8' })
				const packed = new Set(files)
				for (const file of files) if (compressible.test(file) && !packed.has(`${file}.br`)) compress(join(assets, file))
			},
		},
	}
}

function compress(path: string): void {
	const text = readFileSync(path)
	writeFileSync(`${path}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }))
	writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }))
}
