import type { RouteEntry } from './guard/guard.ts'

/** React Router's routes in a file of the build, packed by `scripts/support/route-files.ts`. */
export interface PackedRoutes {
	/** Names of scripts that several routes import, separated by spaces. */
	files: string
	routes: PackedRoute[]
}

/** Imports are indices in `files`, separated by spaces. Rare properties are in `others`. */
export type PackedRoute = [
	id: string,
	parentId: string,
	path: string,
	flags: number,
	module: string,
	imports: string,
	others?: object,
]

/** Properties of a route that are true or false: bits of `flags`, the first one the lowest. */
export const routeFlags = [
	'hasAction',
	'hasLoader',
	'hasClientAction',
	'hasClientLoader',
	'hasClientMiddleware',
	'hasDefaultExport',
	'hasErrorBoundary',
] as const

/** The routes as React Router describes them. */
export function unpackRoutes({ files, routes }: PackedRoutes): RouteEntry[] {
	const address = (name: string) => `/assets/${name}.js`
	const names = files.split(' ')
	return routes.map(([id, parentId, path, flags, module, imports, others]) => ({
		id,
		...(parentId && { parentId }),
		...(path && { path }),
		...Object.fromEntries(routeFlags.map((name, bit) => [name, (flags & (1 << bit)) !== 0])),
		module: address(module),
		imports: imports ? imports.split(' ').map((index) => address(names[Number(index)] ?? '')) : [],
		css: [],
		...others,
	}))
}
