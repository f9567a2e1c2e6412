import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { layers } from '~/features/index.server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Source {
	path: string
	text: string
	/** Files of the project that it imports, relative to the project's folder. */
	imports: string[]
}

const sources = ['app', 'server', 'scripts', 'bench', 'tests'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => /\.(ts|tsx|mjs)$/.test(name))
		.map((name) => read(join(folder, name))),
)
const product = sources.filter(({ path }) => /^(app|server)\//.test(path) && !path.includes('.test.'))

function read(path: string): Source {
	const text = readFileSync(join(root, path), 'utf8')
	const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
	const imports = named.flatMap((name) => {
		if (name.startsWith('~/')) return [join('app', name.slice(2))]
		return name.startsWith('.') ? [normalize(join(dirname(path), name))] : []
	})
	return { path, text, imports }
}

/** Violations of a rule, as lines with file and import. */
function offenders(from: RegExp, to: RegExp, except: RegExp = /^$/): string[] {
	return product.flatMap(({ path, imports }) =>
		from.test(path)
			? imports.filter((file) => to.test(file) && !except.test(file)).map((file) => `${path} → ${file}`)
			: [],
	)
}

describe('import layers', () => {
	const layerNames = layers.map((layer) => layer.map(({ name }) => name))

	test.each(
		layerNames.flatMap((layer, index) =>
			layer.map((feature) => ({
				feature,
				others: layerNames
					.slice(index)
					.flat()
					.filter((other) => other !== feature),
			})),
		),
	)('$feature imports no feature beside or above it', ({ feature, others }) => {
		const above = new RegExp(`^app/features/(${others.join('|')})/`)
		expect(offenders(new RegExp(`^app/features/${feature}/`), above)).toEqual([])
	})

	test('the forum and the chat do not import each other', () => {
		const forum = /^app\/features\/(tags|search|questions|asking|question-lists|discussion|import)\//
		const messages = /^app\/features\/(chat|chat-pictures|conversations|inbox)\//
		expect(offenders(forum, messages)).toEqual([])
		expect(offenders(messages, forum)).toEqual([])
	})

	test('the platform knows no feature', () => {
		expect(offenders(/^app\/(lib|platform|ui|shell|offline)\//, /^app\/features\//)).toEqual([])
	})

	test('lib is the lowest layer; only its log reads the settings', () => {
		expect(offenders(/^app\/lib\//, /^app\/(?!lib\/)/, /config\.server\.ts$/)).toEqual([])
	})

	test('the app does not import the server', () => {
		expect(offenders(/^app\//, /^(server|scripts|tests|bench)\//)).toEqual([])
	})

	test('other features import only use cases, policies, schemas, views, limits, paths, components and client code', () => {
		const entered = product.flatMap(({ path, imports }) => {
			const own = /^app\/features\/([^/]+)\//.exec(path)?.[1]
			const foreign = imports.filter(
				(file) => /^app\/features\//.test(file) && own && !file.startsWith(`app/features/${own}/`),
			)
			return foreign
				.filter(
					(file) => !/(\.(server|policy|schema|view|limits|paths|events)\.ts$|\/(components|client)\/)/.test(file),
				)
				.map((file) => `${path} → ${file}`)
		})
		expect(entered).toEqual([])
	})

	test('types of what leaves the server are in *.view.ts', () => {
		expect(product.filter(({ path }) => /\.(present|presenter|views)\.ts$/.test(path)).map(({ path }) => path)).toEqual(
			[],
		)
	})

	test('a feature has at most 30 files and 4,000 lines', () => {
		const large = layers.flat().flatMap(({ name }) => {
			const folder = `app/features/${name}/`
			const files = product.filter(({ path }) => path.startsWith(folder))
			const lines = files.reduce((sum, { text }) => sum + text.split('\n').length, 0)
			expect(files.length, name).toBeGreaterThan(0)
			return files.length > 30 || lines > 4_000 ? [`${name}: ${files.length} files, ${lines} lines`] : []
		})
		expect(large).toEqual([])
	})

	test('no folder of a feature has more than 25 files', () => {
		const folders = Map.groupBy(
			sources.filter(({ path }) => path.startsWith('app/features/')),
			({ path }) => dirname(path),
		)
		const full = [...folders].filter(([, files]) => files.length > 25)
		expect(full.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
	})

	test('there are no import cycles, neither of values nor of types', () => {
		const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]))
		const done = new Set<string>()
		const cycles: string[] = []
		const walk = (path: string, above: string[]) => {
			if (above.includes(path)) cycles.push([...above.slice(above.indexOf(path)), path].join(' → '))
			if (done.has(path) || above.includes(path)) return
			for (const file of importsOf.get(path) ?? []) walk(file, [...above, path])
			done.add(path)
		}
		for (const { path } of sources) walk(path, [])
		expect(cycles).toEqual([])
	})
})

describe('where things belong', () => {
	const statement = /\bsql`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/

	test('SQL is in *.queries.server.ts, and in the database module', () => {
		const elsewhere = product.filter(
			({ path, text }) => statement.test(text) && !/\.queries\.server\.ts$|^app\/platform\/(db|jobs)\//.test(path),
		)
		expect(elsewhere.map(({ path }) => path)).toEqual([])
	})

	test('profiles are shown by the views that omit hidden parts; only writers read the tables', () => {
		// Files that may read the tables directly, including hidden parts. Evidence: the form that hides it. `profiles`: the forms, the first
		// steps, hiding presence, the confirmed address, what the university says, the page of a case, admins' lists of members, and whom a
		// list of leavers names. Answerable questions use skills that only the member sees, and only they read them. Leaving removes a member
		// from lists, and coming back restores them. Admins who merge accounts are told whether a moderator hid either profile. The preview of
		// terms only counts words, for operators.
		const own =
			/^app\/features\/(profile-editor\/(editing|items|lists)|profiles\/(hiding|merging|profiles)|evidence\/evidence|campus\/campus|campus-fields\/campus-fields|pictures\/pictures|members\/(members|skills)|routing\/answerable|privacy\/leaving\/leaving)\.queries/
		const others =
			/^app\/(platform\/realtime\/presence|features\/(account-merge\/merging|administration\/members\/members|campus-leavers\/leavers|accounts\/accounts|directory\/seed\/seed|conversations\/conversations|terms\/preview))\.queries/
		const reads =
			/\b(from|join)\s+(profiles|profile_skills|certificates|projects|experiences)\b|From\('(profiles|profile_skills)'/
		const readers = product.filter(({ path, text }) => reads.test(text) && !own.test(path) && !others.test(path))
		expect(readers.map(({ path }) => path)).toEqual([])
	})

	test('only moderation writes cases, reports, the log and suspensions, and it names no kind of post', () => {
		const tables = '(cases|reports|reported_messages|moderation_log)'
		const writes = new RegExp(
			`(insert into|update|delete from) ${tables}\\b|(insertInto|updateTable|deleteFrom)\\('${tables}'|set suspended_until`,
		)
		const posts =
			/\b(from|join|update|into) (questions|comments|messages|profiles)\b|'(questions|comments|messages|profiles)'\)/
		const isOwn = /^app\/features\/moderation\//
		const wrong = product.filter(({ path, text }) => (isOwn.test(path) ? posts.test(text) : writes.test(text)))
		expect(wrong.map(({ path }) => path)).toEqual([])
	})

	test('only config.server.ts reads the environment; only PostgreSQL inherits it', () => {
		const readers = product.filter(
			({ path, text }) =>
				text.includes('process.env') && !/config\.server\.ts$|routes\.ts$|embedded-postgres/.test(path),
		)
		expect(readers.map(({ path }) => path)).toEqual([])
	})

	test('only *.server.ts files use the server; routes do so in loaders and actions', () => {
		const touching = product.flatMap(({ path, imports }) => {
			const mayTouch = /\.server\.tsx?$|^server\/|^app\/features\/[^/]+\/routes\/|^app\/root\.tsx$/.test(path)
			return mayTouch ? [] : imports.filter((file) => /\.server\.ts$/.test(file)).map((file) => `${path} → ${file}`)
		})
		// Type imports are erased: a view may use the type of its row.
		const real = touching.filter((line) => {
			const [path = '', file = ''] = line.split(' → ')
			const name = relative(dirname(path), file)
			const text = sources.find((source) => source.path === path)?.text ?? ''
			const lines = text.split('\n').filter((one) => one.includes(name.split('/').at(-1) ?? name))
			return !lines.every((one) => /import type|export type|declare module/.test(one))
		})
		expect(real).toEqual([])
	})

	test('rate limits are counted in one place', () => {
		const counting = product.filter(({ text }) => /'rate-limiter-flexible'|\b(from|into|update) attempts\b/.test(text))
		expect(counting.map(({ path }) => path).sort()).toEqual([
			'app/features/rate-limits/rate-limits.queries.server.ts',
			'app/features/rate-limits/rate-limits.server.ts',
		])
	})

	test('the product uses neither MD5 nor SHA-1', () => {
		const broken = /\bmd5\(|'(?:md5|sha1|sha-1|rsa-sha1)'/i
		expect(product.filter(({ text }) => broken.test(text)).map(({ path }) => path)).toEqual([])
	})

	test('names within sentences are isolated in their text direction', () => {
		const within = /[\w,·:] \{[\w.?]+\.name(?:\.split[^}]*)?\}|\{[\w.?]+\.name(?:\.split[^}]*)?\}[ ,·.]/
		const pages = product.filter(({ path }) => path.endsWith('.tsx') && !/features\/api\//.test(path))
		// For screen readers, setting texts, and attributes.
		const harmless = /`|sr-only|\{\.\.\.|\w=\{/
		const found = pages.flatMap(({ path, text }) =>
			text
				.split('\n')
				.filter((line) => within.test(line.trim()) && !harmless.test(line))
				.map((line) => `${path}: ${line.trim()}`),
		)
		expect(found).toEqual([])
	})

	test('forms are read by readForm of platform/http/form.server.ts, and the Referer by refererPath of http.ts', () => {
		const server = product.filter(({ path }) => /\/routes\/|\.server\.tsx?$/.test(path))
		const readers = server.filter(({ text }) => /\.formData\(\)|headers\.get\('Referer'\)/.test(text))
		expect(readers.map(({ path }) => path)).toEqual(['app/platform/http/form.server.ts'])
	})

	test('no file is longer than 400 lines', () => {
		const long = sources
			.map(({ path, text }) => ({ path, lines: text.split('\n').length }))
			.filter(({ lines }) => lines > 400)
		expect(long).toEqual([])
	})

	test('file URLs are converted by fileURLToPath, as a blank in a path is %20 in the URL', () => {
		const wrong = sources.filter(({ text }) => /import\.meta\.url\)\.path[n]ame/.test(text))
		expect(wrong.map(({ path }) => path)).toEqual([])
	})

	test('no two files of journeys register the same member, as they may run on one site', () => {
		const call = /\b(?:enrol|\w*[mM]embers?|another|missAnAnswer|register|twoFriends)\((?:[^()]|\([^()]*\))*\)/g
		const journeys = sources.filter(({ path }) => path.endsWith('.spec.ts'))
		const registered = journeys.flatMap(({ text }) => {
			const names = [...text.matchAll(call)].flatMap(([args]) => args.match(/'\p{Lu}[^']* \p{Lu}[^']*'/gu) ?? [])
			return [...new Set(names)]
		})
		expect(registered.length).toBeGreaterThan(150)
		expect(registered.filter((name, index) => registered.indexOf(name) !== index)).toEqual([])
	})

	test('there are no leftover words', () => {
		const words = /\b(TODO|FIXME|XXX|HACK)\b|lorem ipsum/i
		expect(product.filter(({ text }) => words.test(text)).map(({ path }) => path)).toEqual([])
	})
})
