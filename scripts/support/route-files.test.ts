import { expect, test } from 'vitest'
import { unpackRoutes } from '../../app/shell/packed-routes.ts'
import { type ManifestRoute, packRoutes } from './route-files.ts'

const none = {
	hasAction: false,
	hasLoader: false,
	hasClientAction: false,
	hasClientLoader: false,
	hasClientMiddleware: false,
	hasDefaultExport: false,
	hasErrorBoundary: false,
	imports: [],
	css: [],
}
const forum = { ...none, hasDefaultExport: true, parentId: 'root', module: '/assets/forum-B_1-xyzw.js' }

const manifest: Record<string, ManifestRoute> = {
	root: { ...none, id: 'root', hasErrorBoundary: true, hasLoader: true, module: '/assets/root-1.js' },
	home: { ...none, id: 'home', parentId: 'root', index: true, module: '/assets/home-1.js' },
	frame: { ...forum, id: 'frame', imports: ['/assets/react-1.js'] },
	forum: {
		...forum,
		id: 'forum',
		parentId: 'frame',
		path: 'forum/:slug',
		imports: ['/assets/react-1.js', '/assets/list-1.js'],
		css: ['/assets/forum-1.css'],
		clientActionModule: '/assets/act-1.js',
	},
	settings: {
		...none,
		id: 'settings',
		parentId: 'root',
		path: 'settings',
		hasAction: true,
		module: '/assets/settings-1.js',
	},
	tokens: { ...none, id: 'tokens', parentId: 'settings', path: 'tokens', module: '/assets/tokens-1.js' },
}

test('packed routes are unpacked to what React Router described', () => {
	const { visitors, others } = packRoutes(manifest)
	const found = [...unpackRoutes(visitors), ...unpackRoutes(others)]
	for (const route of found)
		expect({ ...route, imports: route.imports?.toSorted() }).toEqual(sorted(manifest[route.id]))
	expect(found).toHaveLength(Object.keys(manifest).length)
})

test('members’ routes are in the second file, with all routes below them', () => {
	const { visitors, others } = packRoutes(manifest)
	expect(unpackRoutes(visitors).map(({ id }) => id)).toEqual(['root', 'home', 'frame', 'forum'])
	expect(unpackRoutes(others).map(({ id }) => id)).toEqual(['settings', 'tokens'])
})

test('a script that could not be resolved by the browser is refused', () => {
	expect(() => packRoutes({ root: { ...none, id: 'root', module: 'https://cdn.example/root.js' } })).toThrow('root.js')
})

function sorted(route: ManifestRoute | undefined) {
	return { ...route, imports: route?.imports.toSorted() }
}
