import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { type PackedRoute, type PackedRoutes, routeFlags } from '../../app/shell/packed-routes.ts'

/** First parts of the paths that visitors' pages link to. Routes below others are in a second file, which is loaded when they are linked. */
const visitorsParts = [
	'',
	'*',
	'api',
	'find-dev',
	'forgot-password',
	'forum',
	'imprint',
	'login',
	'messages',
	'privacy',
	'register',
	'report',
	'search',
	'skills',
	'suggest',
	'terms',
	'theme',
]

/** A route in React Router's manifest. */
export interface ManifestRoute {
	id: string
	parentId?: string
	path?: string
	module: string
	imports: string[]
	css: string[]
	[other: string]: unknown
}

/**
 * Packs the build's list of routes, which every page loads ahead: in React Router's own form it has three times the bytes after
 * compression. The browser unpacks it (`app/shell/packed-routes.ts`).
 */
export function routeFiles(): Plugin {
	let assets = ''
	return {
		name: 'route-files',
		apply: 'build',
		enforce: 'post',
		writeBundle: {
			order: 'post',
			sequential: true,
			handler({ dir = '' }) {
				// React Router writes the list with the server's build.
				if (this.environment.name === 'client') assets = join(dir, 'assets')
				else for (const file of readdirSync(assets)) if (/^manifest-\w+\.js$/.test(file)) packFile(join(assets, file))
			},
		},
	}
}

function packFile(path: string): void {
	const text = readFileSync(path, 'utf8')
	const { routes } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
	const { visitors, others } = packRoutes(routes)
	writeFileSync(path, JSON.stringify(visitors))
	writeFileSync(path.replace(/\.js$/, '-more.js'), JSON.stringify(others))
}

/**
 * @param manifest React Router's routes by their ids
 * @returns the routes for visitors' pages, with the first parts of their paths, and all others
 */
export function packRoutes(manifest: Record<string, ManifestRoute>): {
	visitors: PackedRoutes & { parts: string[] }
	others: PackedRoutes
} {
	const routes = Object.values(manifest)
	const fullPath = ({ parentId = '', path = '' }: ManifestRoute): string => {
		const parent = manifest[parentId]
		return `${parent ? fullPath(parent) : ''}${path ? `/${path}` : ''}`
	}
	const isForVisitors = (route: ManifestRoute) => visitorsParts.includes(fullPath(route).split('/')[1] ?? '')
	return {
		visitors: { parts: visitorsParts, ...pack(routes.filter(isForVisitors)) },
		others: pack(routes.filter((route) => !isForVisitors(route))),
	}
}

function pack(routes: ManifestRoute[]): PackedRoutes {
	const times = new Map<string, number>()
	for (const file of routes.flatMap(({ imports }) => imports)) times.set(file, (times.get(file) ?? 0) + 1)
	const files = [...times].sort(([, one], [, other]) => other - one).map(([file]) => file)
	return {
		files: files.map(nameOf).join(' '),
		routes: routes.map(({ id, parentId = '', path = '', module, imports, css, ...rest }): PackedRoute => {
			const others = Object.entries(rest).filter(([key]) => !routeFlags.some((flag) => flag === key))
			if (css.length > 0) others.push(['css', css])
			const indices = imports.map((file) => files.indexOf(file)).sort((one, other) => one - other)
			const flags = routeFlags.reduce((sum, flag, bit) => sum + (rest[flag] ? 1 << bit : 0), 0)
			const packed = [id, parentId, path, flags, nameOf(module), indices.join(' ')] as const
			return others.length > 0 ? [...packed, Object.fromEntries(others)] : [...packed]
		}),
	}
}

/** @throws Error for a file that `unpackRoutes` would not find */
function nameOf(file: string): string {
	const [, name] = /^\/assets\/([\w.-]+)\.js$/.exec(file) ?? []
	if (!name) throw new Error(`${file} cannot be packed as a script of a route.`)
	return name
}
