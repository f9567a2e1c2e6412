/*
 * npm run new -- NAME   creates a working feature: a page where a member keeps short notes for themselves, with
 * its table, rules, use cases, test and place in the site map. Turn it into your feature: docs/how-to/add-a-feature.md.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const templates = join(root, 'scripts/new-feature')
const migrations = join(root, 'migrations')
/** The lists that each feature is in. */
const listOfFeatures = 'app/features/index.server.ts'
const siteMap = 'app/routes.ts'
/** Names that PostgreSQL accepts for a table only with quotes: those of pg_get_keywords() with the categories R and T. */
const RESERVED =
	`all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
	concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user
	default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having ilike in initially inner
	intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or order
	outer overlaps placing primary references returning right select session_user similar some symmetric system_user table tablesample then to
	trailing true union unique user using variadic verbose when where window with`.split(/\s+/)

const [name = '', ...more] = process.argv.slice(2)
const refusal = more.length > 0 ? 'A feature has one name: write hyphens between its words.' : whyNot(name)
if (refusal) refuse(refusal)
const files =
	createFeature(name) ?? refuse(`“${name}” means something else in the code of a feature. Choose another name.`)
console.log(`${files.join('\n')}\n\nNext: docs/how-to/add-a-feature.md. Look at it with npm run dev, at /${name}.`)

function refuse(reason: string): never {
	console.error(`${reason}\nUsage: npm run new -- NAME, for example npm run new -- reading-list`)
	process.exit(1)
}

/** @returns why a feature cannot have this name, or null */
function whyNot(name: string): string | null {
	if (!/^[a-z]+(-[a-z]+)*$/.test(name) || name.length > 30)
		return 'Use lower-case letters, with hyphens between words, and at most 30 characters.'
	if (RESERVED.includes(tableOf(name))) return `“${name}” is a word of SQL. Choose another name.`
	const isTaken = existsSync(join(root, 'app/features', name)) || isImported(name) || hasTable(name) || isAddress(name)
	return isTaken ? `There is a feature, an address or a table called “${name}” already.` : null
}

/** Whether the list of features uses the name in the code for something else, such as `layers`. */
function isImported(name: string): boolean {
	const code = read(listOfFeatures).replaceAll(/\/\*.*?\*\/|'.*?'/gs, '')
	return new RegExp(`\\b${camelOf(name)}\\b`).test(code)
}

/** Whether a migration gives the name to a table, or to something that shares its names with tables. */
function hasTable(name: string): boolean {
	const made = new RegExp(
		`(create (\\w+ )*(table|view|index|type)|rename to)( if not exists)? ${tableOf(name)}\\b`,
		'i',
	)
	return readdirSync(migrations).some((file) => made.test(read(join('migrations', file)).replaceAll(/\s+/g, ' ')))
}

/** Whether a page, the server itself or a folder of files answers at the name. */
function isAddress(name: string): boolean {
	const sources = readdirSync(join(root, 'server')).filter((file) => file.endsWith('.ts'))
	return (
		read(siteMap).includes(`'${name}'`) ||
		existsSync(join(root, 'public', name)) ||
		sources.some((file) => new RegExp(`'/${name}['/]`).test(read(join('server', file))))
	)
}

/**
 * Writes all files of the feature, and adds it to the lists of features and addresses.
 * @returns the files, from the root; null, with nothing changed, where the name means something else in their code
 */
function createFeature(name: string): string[] | null {
	const lists = [listOfFeatures, siteMap].map((path) => ({ path, text: read(path) }))
	const written: string[] = []
	let isDone = false
	try {
		writeFiles(name, written)
		if (!format(written)) return null
		addToLists(name)
		format(lists.map(({ path }) => path))
		isDone = true
		return [...written, ...lists.map(({ path }) => path)]
	} finally {
		if (!isDone) {
			for (const path of written) rmSync(join(root, path), { force: true })
			rmSync(join(root, 'app/features', name), { recursive: true, force: true })
			for (const { path, text } of lists) write(path, text)
		}
	}
}

function writeFiles(name: string, written: string[]): void {
	const number = Math.max(...readdirSync(migrations).map((file) => Number.parseInt(file, 10))) + 1
	const placeOf = (template: string) => {
		if (template === 'migration.sql') return `migrations/${String(number).padStart(4, '0')}_${tableOf(name)}.sql`
		if (template === 'route.tsx') return `app/features/${name}/routes/${name}.tsx`
		return `app/features/${name}/${name}.${template}`
	}
	for (const template of readdirSync(templates)) {
		const path = placeOf(template.replace('.template', ''))
		write(path, fill(readFileSync(join(templates, template), 'utf8'), name))
		written.push(path)
	}
}

function addToLists(name: string): void {
	const camel = camelOf(name)
	insert(listOfFeatures, '\n/**', `import { ${camel} } from './${name}/${name}.feature.server.ts'`)
	insert(listOfFeatures, '\n]\n\n/** Every', `\t[${camel}],`)
	insert(siteMap, "\n\troute('*'", `\troute('${name}', 'features/${name}/routes/${name}.tsx'),`)
}

/**
 * Formats files: line breaks and the order of imports depend on the name.
 * @returns whether they are free of errors
 * @throws Error when Biome does not run
 */
function format(files: string[]): boolean {
	const checked = files.filter((file) => !file.endsWith('.sql'))
	const biome = join(root, 'node_modules/.bin/biome')
	const { status, error, stdout, stderr } = spawnSync(biome, ['check', '--write', '--colors=off', ...checked], {
		cwd: root,
		encoding: 'utf8',
	})
	const words = `${stdout}${stderr}`
	if (error || (status !== 0 && !checked.some((file) => words.includes(file))))
		throw error ?? new Error(`Biome could not check the new files.\n${words}`)
	return status === 0
}

function fill(template: string, name: string): string {
	const camel = camelOf(name)
	const forms: Record<string, string> = {
		name,
		table: tableOf(name),
		camel,
		Pascal: camel[0]?.toUpperCase() + camel.slice(1),
		CONST: tableOf(name).toUpperCase(),
		Title: name[0]?.toUpperCase() + name.slice(1).replaceAll('-', ' '),
	}
	return template.replaceAll(/__([A-Za-z]+?)__/g, (_, form: string) => forms[form] ?? form)
}

function tableOf(name: string): string {
	return name.replaceAll('-', '_')
}

function camelOf(name: string): string {
	return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Inserts a line before the first `mark` of a file. @throws Error when the file does not contain it */
function insert(path: string, mark: string, line: string): void {
	const text = read(path)
	const at = text.indexOf(mark)
	if (at < 0) throw new Error(`${path} has no “${mark.trim()}” any more: put this line there by hand: ${line.trim()}`)
	write(path, `${text.slice(0, at)}\n${line}${text.slice(at)}`)
}

function read(path: string): string {
	return readFileSync(join(root, path), 'utf8')
}

function write(path: string, text: string): void {
	mkdirSync(dirname(join(root, path)), { recursive: true })
	writeFileSync(join(root, path), text)
}
