import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /\.(js|css|svg|json|webmanifest|txt|map)$/

/** Writes a .br and a .gz beside each text asset of the browser's build, as small as they get: it is done once. */
export function precompress(): Plugin {
	return {
		name: 'precompress',
		apply: 'build',
		enforce: 'post',
		applyToEnvironment: (environment) => environment.name === 'client',
		writeBundle: ({ dir = '' }) => {
			for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
				if (compressible.test(file)) compress(join(dir, file))
			}
		},
	}
}

function compress(path: string): void {
	const text = readFileSync(path)
	writeFileSync(`${path}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }))
	writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }))
}
