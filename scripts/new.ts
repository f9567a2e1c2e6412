/*
 * npm run new -- NAME   creates a working feature: a page where a member keeps short notes for themselves, with
 * its table, rules, use cases, test and place in the site map. Turn it into your feature: docs/how-to/add-a-feature.md.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { camelOf, listOfFeatures, migrations, read, root, siteMap, tableOf, whyNot } from './support/feature-names.ts'

const templates = join(root, 'scripts/new-feature')
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

/** Inserts a line before the first `mark` of a file. @throws Error when the file does not contain it */
function insert(path: string, mark: string, line: string): void {
	const text = read(path)
	const at = text.indexOf(mark)
	if (at < 0) throw new Error(`${path} has no “${mark.trim()}” any more: put this line there by hand: ${line.trim()}`)
	write(path, `${text.slice(0, at)}\n${line}${text.slice(at)}`)
}

function write(path: string, text: string): void {
	mkdirSync(dirname(join(root, path)), { recursive: true })
	writeFileSync(join(root, path), text)
}
