import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { precompress } from './scripts/support/precompress.ts'

export default defineConfig({
	plugins: [tailwindcss(), reactRouter(), precompress()],
	resolve: { alias: { '~': new URL('./app', import.meta.url).pathname } },
	// server/app.ts is bundled with the pages, so that both see one copy of every module.
	environments: { ssr: { build: { rollupOptions: { input: './server/app.ts' } } } },
	build: { target: 'es2022', assetsInlineLimit: 0 },
	server: { watch: { ignored: ['**/data/**', '**/build/**', '**/test-results/**'] } },
})
