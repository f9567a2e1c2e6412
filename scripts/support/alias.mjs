import { registerHooks } from 'node:module'

// Resolves `~/…` in plain Node as Vite and TypeScript do: to the folder app/.
const app = new URL('../../app/', import.meta.url)

registerHooks({
	resolve: (specifier, context, next) =>
		next(specifier.startsWith('~/') ? new URL(specifier.slice(2), app).href : specifier, context),
})
