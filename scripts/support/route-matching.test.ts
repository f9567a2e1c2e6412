import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RouteConfigEntry } from '@react-router/dev/routes'
import type { RouteMatch, RouteObject } from 'react-router'
import { afterAll, beforeAll, expect, test } from 'vitest'
import siteMap from '../../app/routes.ts'
import { withFirstParts } from './route-matching.ts'

/** What the module exports to React Router's others. */
interface Matching {
	flattenAndRankRoutes: (routes: RouteObject[]) => object
	matchRoutesImpl: (
		routes: RouteObject[],
		path: string,
		basename: string,
		allowPartial: boolean,
		ranked: object,
	) => RouteMatch[] | null
}

const folder = mkdtempSync(join(tmpdir(), 'route-matching-'))
const require = createRequire(import.meta.url)
const source = join(dirname(require.resolve('react-router/package.json')), 'dist/production/lib/router/utils.js')
let original: Matching
let patched: Matching

beforeAll(async () => {
	original = await import(pathToFileURL(source).href)
	const code = withFirstParts(readFileSync(source, 'utf8'))
	const absolute = code
		.replace(/from "(\.[^"]+)"/g, (_, file: string) => `from "${pathToFileURL(join(dirname(source), file)).href}"`)
		.replace('from "react"', `from "${pathToFileURL(require.resolve('react')).href}"`)
	writeFileSync(join(folder, 'utils.mjs'), absolute)
	patched = await import(pathToFileURL(join(folder, 'utils.mjs')).href)
})

afterAll(() => rmSync(folder, { recursive: true }))

function objectsOf(entries: readonly RouteConfigEntry[]): RouteObject[] {
	return entries.map(({ path, index, file, children, id = file }) =>
		index ? { id, index: true } : { id, ...(path && { path }), ...(children && { children: objectsOf(children) }) },
	)
}

function pathsOf(routes: readonly RouteObject[], parent = ''): string[] {
	return routes.flatMap(({ path = '', children }) => {
		const own = [parent, path].filter(Boolean).join('/')
		return [`/${own}`, ...pathsOf(children ?? [], own)]
	})
}

/** The address as it is, in other cases and encodings, with more and with less. */
const spellings = (path: string) => [
	path,
	path.toUpperCase(),
	`${path}/`,
	`${path}//`,
	`/${path}`,
	`${path}/more`,
	`${path}s`,
	path.slice(0, -1) || '/',
	path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
	path.replace('k', '\u212a').replace('s', '\u017f'),
]

test('every address of the site, however it is written, matches the same route with the same parameters', () => {
	const routes = [{ id: 'root', path: '', children: objectsOf(siteMap) }]
	const filled = pathsOf(routes).flatMap((path) => [
		path
			.replace(/\/:(\w+)\?/g, '')
			.replace(/:(\w+)/g, 'Some-$1')
			.replace('*', 'a/b'),
		path.replace(/:(\w+)\??/g, 'forum').replace('*', ''),
	])
	const addresses = [...new Set(filled)].flatMap(spellings)
	const found = ({ flattenAndRankRoutes, matchRoutesImpl }: Matching, isPartial: boolean) => {
		const ranked = flattenAndRankRoutes(routes)
		return addresses.map((address) => {
			const matches = matchRoutesImpl(routes, address, '/', isPartial, ranked)
			return [address, matches?.map(({ route, params, pathname }) => [route.id, params, pathname])]
		})
	}
	expect(addresses.length).toBeGreaterThan(1_000)
	for (const isPartial of [false, true]) expect(found(patched, isPartial)).toEqual(found(original, isPartial))
})
