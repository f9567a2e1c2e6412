import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { matchPath, matchRoutes, type RouteObject } from 'react-router'
import { describe, expect, test } from 'vitest'
import { features } from '~/features/index.server.ts'
import { namingPattern } from '~/platform/db/member-names.queries.server.ts'
import { mergeByName } from '~/platform/feature.ts'
import routes from '~/routes.ts'
import { toVisitorRequest, visitorPageOf } from '../server/cached-pages.ts'

/* The manifests and the site agree: nothing is missing, declared twice, or uncached by mistake. */

const app = fileURLToPath(new URL('../app', import.meta.url))
const cachedPages = features.flatMap((feature) => feature.cachedPages ?? [])

interface SiteRoute {
	/** With a leading slash. */
	path: string
	/** Its file and those of its layout routes, relative to `app/`. */
	files: string[]
}

const siteRoutes = leaves(routes, '', [])

function leaves(entries: typeof routes, above: string, files: string[]): SiteRoute[] {
	return entries.flatMap(({ path = '', file, children }) => {
		const full = path ? `${above}/${path}` : above
		const all = [...files, file]
		return children ? leaves(children, full, all) : [{ path: full || '/', files: all }]
	})
}

describe('the list of features', () => {
	test('contains every folder once, by its name', () => {
		const files = readdirSync(join(app, 'features'), { recursive: true, encoding: 'utf8' })
		const folders = new Set(
			files.filter((file) => /\.tsx?$/.test(file)).flatMap((file) => file.split('/').slice(0, -1).slice(0, 1)),
		)
		expect(features.map(({ name }) => name).sort()).toEqual([...folders].sort())
		for (const { name } of features) expect(files).toContain(`${name}/${name}.feature.server.ts`)
	})

	test('handles every declared job, and words every kind of notification', () => {
		expect(declared('Jobs', /^\t\t'?([\w-]+)'?:/gm)).toEqual(
			features.flatMap(({ jobs = {} }) => Object.keys(jobs)).sort(),
		)
		expect(declared('NotificationKinds', /^\t\t'?([\w-]+)'?:/gm)).toEqual(
			features.flatMap(({ notificationKinds = {} }) => Object.keys(notificationKinds)).sort(),
		)
	})

	test('has unique names', () => {
		const names = [
			...features.flatMap(({ api }) => api?.operations.map(({ id }) => `operation ${id}`) ?? []),
			...features.flatMap(({ jobs = {} }) => Object.keys(jobs).map((name) => `job ${name}`)),
			...features.flatMap(({ schedules = [] }) => schedules.map(({ name }) => `job ${name}`)),
			...features.flatMap(({ notificationKinds = {} }) =>
				Object.values(notificationKinds).map(({ order }) => `place ${order} in the settings`),
			),
			...cachedPages.map(({ path }) => `page ${path}`),
		]
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
		expect(() => mergeByName([{ one: 1 }, { one: 2 }])).toThrow('“one”')
	})
})

test('the server knows features only by their list, except sessions and the API’s mount point', () => {
	const server = fileURLToPath(new URL('../server', import.meta.url))
	// Except what runs before the site is loaded: printing demo accounts and making the first admin.
	const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
		(file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'startup.ts',
	)
	const known = files.flatMap((file) =>
		[...readFileSync(join(server, file), 'utf8').matchAll(/features\/([\w./-]+)'/g)].map(([, name = '']) => name),
	)
	expect(known.filter((name) => !/^(index\.server\.ts|(accounts|sessions|api)\/.*)$/.test(name))).toEqual([])
})

describe('a page cached for visitors', () => {
	const tree: RouteObject[] = siteRoutes.map(({ path }) => ({ id: path, path }))
	const filling = (path: string) =>
		path
			.replace(':id', '7')
			.replace(/:\w+\??/g, 'some')
			.replace('*', 'elsewhere')

	test.each(cachedPages.map((page) => [page.path, page] as const))('%s is a route of the site', (path, page) => {
		expect(siteRoutes.map((route) => route.path)).toContain(path)
		expect(page.tagsOf(filling(path))).not.toBeNull()
	})

	test.each(siteRoutes.map(({ path }) => [path]))('%s is answered from the cache as itself or not at all', (path) => {
		const address = filling(path)
		expect(matchRoutes(tree, address)?.at(-1)?.route.path).toBe(path)
		const answering = cachedPages.filter((page) => page.tagsOf(address) !== null).map((page) => page.path)
		expect(answering).toEqual(cachedPages.some((page) => page.path === path) ? [path] : [])
	})

	test.each(cachedPages.map((page) => [page.path, page] as const))(
		'%s keeps for visitors what it declares and nothing else, with the cache and without',
		(path, { searchParams, memberSearchParams }) => {
			const names = [...searchParams, ...memberSearchParams, 'utm_source']
			const url = `${filling(path)}?${names.map((name) => `${name}=1`).join('&')}`
			const left = (address: string) => [...new URL(address, 'http://site.example').searchParams.keys()]
			expect(left(visitorPageOf('GET', url, undefined)?.path ?? '')).toEqual([...searchParams].sort())
			const asked = (headers?: HeadersInit) => new Request(`http://site.example${url}`, { headers })
			expect(left(toVisitorRequest(asked()).url)).toEqual([...searchParams].sort())
			expect(left(toVisitorRequest(asked({ Cookie: 'session=x' })).url)).toEqual(names)
		},
	)

	/** The route's own files, and those beside them that it imports. */
	function sourcesOf(path: string): { file: string; text: string }[] {
		const own = siteRoutes.find((route) => route.path === path)?.files ?? []
		const read = (file: string) => ({ file, text: readFileSync(join(app, file), 'utf8') })
		const beside = own.flatMap((file) =>
			[...read(file).text.matchAll(/from '(\.\/[^']+\.tsx?)'/g)].map(([, name = '']) => join(dirname(file), name)),
		)
		return [...own, ...beside].map(read)
	}

	test.each(cachedPages.map(({ path }) => [path]))('%s reads no parameter past its declaration', (path) => {
		const past = /\burl\.searchParams|\bURL\(request\.url|\burl\.search\.(?!length)/
		const found = sourcesOf(path).filter(({ text }) => past.test(text))
		expect(found.map(({ file }) => file)).toEqual([])
	})

	test('reads only declared parameters in its components', () => {
		const undeclared = features.flatMap(({ name, cachedPages: own = [] }) => {
			const known = own.flatMap((page) => [...page.searchParams, ...page.memberSearchParams])
			const folder = join(app, 'features', name)
			return readdirSync(folder, { recursive: true, encoding: 'utf8' })
				.filter((file) => own.length > 0 && file.endsWith('.tsx'))
				.filter((file) => !isOfUncachedRoute(join('features', name, file)))
				.flatMap((file) => namesRead(readFileSync(join(folder, file), 'utf8')).map((read) => ({ file, read })))
				.filter(({ read }) => !known.includes(read))
		})
		expect(undeclared).toEqual([])
	})

	function isOfUncachedRoute(file: string): boolean {
		const own = siteRoutes.filter(({ files }) => files.includes(file))
		return own.length > 0 && own.every(({ path }) => !cachedPages.some((page) => matchPath(page.path, path)))
	}

	/** The query parameters that a component reads. */
	function namesRead(text: string): string[] {
		if (!text.includes('useSearchParams')) return []
		return [...text.matchAll(/\bparams(?:\.(?:get|has)\(|, )'([\w-]+)'/g)].map(([, name = '']) => name)
	}
})

test('a username is recognized in every address that contains one', () => {
	const operations = features.flatMap(({ api }) => api?.operations ?? [])
	const paths = [...siteRoutes, ...operations].map(({ path }) =>
		path.replace(/:username|\{username\}/, 'wren').replace(':category', 'others'),
	)
	const named = paths.filter((path) => path.includes('wren'))
	expect(named.length).toBeGreaterThan(30)
	expect(named.filter((path) => !new RegExp(namingPattern(['wren']), 'i').test(path))).toEqual([])
})

/** Names that features add to an interface by declaration merging, in order. */
function declared(name: string, entry: RegExp): string[] {
	const blocks = readdirSync(app, { recursive: true, encoding: 'utf8' })
		.filter((file) => /\.tsx?$/.test(file))
		.flatMap((file) => [
			...readFileSync(join(app, file), 'utf8').matchAll(
				new RegExp(`\\tinterface ${name} \\{\\n([\\s\\S]*?)\\n\\t\\}`, 'g'),
			),
		])
	const own = name === 'Jobs' ? ['send-mail'] : []
	return [...own, ...blocks.flatMap(([, body = '']) => [...body.matchAll(entry)].map(([, key = '']) => key))].sort()
}
