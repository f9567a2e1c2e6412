import { registerHooks } from 'node:module'

// Lets plain Node read `~/…` as Vite and TypeScript do: the folder app/.
const app = new URL('../../app/', import.meta.url)

registerHooks({
	resolve: (specifier, context, next) =>
		next(specifier.startsWith('~/') ? new URL(specifier.slice(2), app).href : specifier, context),
})
