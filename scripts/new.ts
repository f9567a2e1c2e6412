/*
 * npm run new -- NAME   creates a working feature: a page where a member keeps short notes for themselves, with
 * its table, rules, use cases, test and place in the site map. Turn it into your feature: docs/how-to/add-a-feature.md.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const templates = join(root, 'scripts/new-feature')
const migrations = join(root, 'migrations')
/** Names that PostgreSQL accepts for a table only with quotes. */
const RESERVED = ['user', 'order', 'group', 'table', 'select', 'check', 'limit', 'grant', 'column', 'default']

const name = process.argv[2] ?? ''
const refusal = whyNot(name)
if (refusal) {
	console.error(`${refusal}\nUsage: npm run new -- NAME, for example npm run new -- reading-list`)
	process.exit(1)
}
const files = createFeature(name)
// Line breaks and the order of imports depend on the name.
execFileSync(
	join(root, 'node_modules/.bin/biome'),
	['check', '--write', ...files.filter((file) => !file.endsWith('.sql'))],
	{
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'],
	},
)
console.log(`${files.join('\n')}\n\nNext: docs/how-to/add-a-feature.md. Look at it with npm run dev, at /${name}.`)

/** @returns why a feature cannot have this name, or null */
function whyNot(name: string): string | null {
	if (!/^[a-z]+(-[a-z]+)*$/.test(name) || name.length > 30)
		return 'Use lower-case letters, with hyphens between words, and at most 30 characters.'
	if (RESERVED.includes(name)) return `“${name}” is a word of SQL. Choose another name.`
	const taken =
		existsSync(join(root, 'app/features', name)) ||
		read('app/routes.ts').includes(`'${name}'`) ||
		readdirSync(migrations).some((file) => read(join('migrations', file)).includes(`create table ${tableOf(name)} (`))
	return taken ? `There is a feature, an address or a table called “${name}” already.` : null
}

/** Writes all files of the feature, and adds it to the lists of features and addresses. @returns the files, from the root */
function createFeature(name: string): string[] {
	const number = Math.max(...readdirSync(migrations).map((file) => Number.parseInt(file, 10))) + 1
	const placeOf = (template: string) => {
		if (template === 'migration.sql') return `migrations/${String(number).padStart(4, '0')}_${tableOf(name)}.sql`
		if (template === 'route.tsx') return `app/features/${name}/routes/${name}.tsx`
		return `app/features/${name}/${name}.${template}`
	}
	const written = readdirSync(templates).map((template) => {
		const path = placeOf(template.replace('.template', ''))
		write(path, fill(readFileSync(join(templates, template), 'utf8'), name))
		return path
	})
	const camel = camelOf(name)
	insert('app/features/index.server.ts', '\n/**', `import { ${camel} } from './${name}/${name}.feature.server.ts'`)
	insert('app/features/index.server.ts', '\n]\n\n/** Every', `\t[${camel}],`)
	insert('app/routes.ts', "\n\troute('*'", `\troute('${name}', 'features/${name}/routes/${name}.tsx'),`)
	return [...written, 'app/features/index.server.ts', 'app/routes.ts']
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
