import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/* The names that a new feature may have, and where a name is written. */

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const migrations = join(root, 'migrations')
/** The lists that each feature is in. */
export const listOfFeatures = 'app/features/index.server.ts'
export const siteMap = 'app/routes.ts'
/** Names that PostgreSQL accepts for a table only with quotes: those of pg_get_keywords() with the categories R and T. */
const RESERVED =
	`all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
	concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user
	default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having ilike in initially inner
	intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or order
	outer overlaps placing primary references returning right select session_user similar some symmetric system_user table tablesample then to
	trailing true union unique user using variadic verbose when where window with`.split(/\s+/)

/** @returns why a feature cannot have this name, or null */
export function whyNot(name: string): string | null {
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

/** The name of the feature's table. */
export function tableOf(name: string): string {
	return name.replaceAll('-', '_')
}

/** The feature's name in code. */
export function camelOf(name: string): string {
	return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** A file's text. @param path from the root */
export function read(path: string): string {
	return readFileSync(join(root, path), 'utf8')
}
