import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/*
 * Nodes of the version before serve while a migration runs, and after it (docs/decisions/0085-updates-beside-what-runs.md): it may add,
 * and take away only what a released version no longer uses.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
/** From this number on the rule holds; what is older came to sites by a stop of all nodes. */
const FIRST = 95

const released = [...readFileSync(`${root}CHANGELOG.md`, 'utf8').matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
	([, version]) => version ?? '',
)
const migrations = readdirSync(`${root}migrations`)
	.filter((name) => Number.parseInt(name, 10) >= FIRST)
	.map((name) => [name, readFileSync(`${root}migrations/${name}`, 'utf8')] as const)

/** What takes something away that the version before may use, and how it is done instead. */
const forbidden: [RegExp, string][] = [
	[/\bdrop (table|column|view|materialized view|function|type|schema)\b/, 'drops what the version before may use'],
	[/\brename\b/, 'renames what the version before uses by its name'],
	[/\balter (column )?\w+ (set data )?type\b/, 'changes a type: add a column of the new one, and fill both'],
	[/\bset not null\b/, 'refuses rows that the version before still writes'],
	[/\btruncate\b/, 'empties a table'],
]

/** What a migration does that it may not; nothing, if nodes of the version before can go on. */
function offences(text: string): string[] {
	const [, version] = /^-- Contract: (\d+\.\d+\.\d+) no longer uses \S/.exec(text) ?? []
	if (version) return released.includes(version) ? [] : [`names ${version}, which is not released`]
	const sql = withoutTexts(text)
	const statements = sql.split(';').map((statement) => statement.replace(/\s+/g, ' ').trim().toLowerCase())
	const created = new Set([...sql.matchAll(/create table (?:if not exists )?(\w+)/gi)].map(([, table]) => table))
	return statements.flatMap((statement) => {
		const [, table] = /^alter table (?:only )?(?:if exists )?(\w+)/.exec(statement) ?? []
		// Nobody before it knows a table that it makes itself.
		if (table && created.has(table)) return []
		const found = forbidden.filter(([pattern]) => pattern.test(statement)).map(([, reason]) => reason)
		return [...found, ...unmatchedDrops(statement, statements), ...columnsWithoutDefault(statement)]
	})
}

/** Without comments, and without what is in quotes, such as the body of a function. */
function withoutTexts(text: string): string {
	return text
		.replace(/--.*$/gm, '')
		.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
		.replace(/'(?:[^']|'')*'/g, "''")
}

/** A constraint, a trigger or an index that is dropped comes back under its name, wider than it was, or under another one. */
function unmatchedDrops(statement: string, all: string[]): string[] {
	return [...statement.matchAll(/\bdrop (constraint|trigger|index) (?:if exists )?(\w+)/g)].flatMap(
		([, kind, name]) => {
			const again = new RegExp(
				`\\b(add|create( or replace)?( unique)?( constraint)?) ${kind} ${kind === 'index' ? '' : name}`,
			)
			return all.some((other) => again.test(other)) ? [] : [`drops the ${kind} ${name} and makes no other`]
		},
	)
}

function columnsWithoutDefault(statement: string): string[] {
	const added = statement.match(/\badd column .*?(?=, add |, drop |$)/g) ?? []
	return added
		.filter((column) => / not null\b/.test(column) && !/ (default|generated) /.test(column))
		.map((column) => `${column}: the version before does not fill it`)
}

test('migrations take nothing away that the version before uses', () => {
	const wrong = migrations.flatMap(([name, text]) => offences(text).map((offence) => `${name} ${offence}`))
	expect(wrong).toEqual([])
})

describe('the rule', () => {
	test.each([
		['create table notes (id int, body text not null); alter table notes alter column body type varchar;'],
		['alter table users add column note text, add column count integer not null default 0;'],
		['create index users_note on users (note);'],
		['alter table a drop constraint a_check; alter table a add constraint a_check check (true);'],
		['create function f() returns trigger language plpgsql as $$ begin drop table users; end $$; -- drop table users'],
		['-- Contract: 0.2.0 no longer uses the column.\nalter table users drop column note;'],
	])('allows %s', (text) => {
		expect(offences(text)).toEqual([])
	})

	test.each([
		['drop table users;', 'drops what'],
		['alter table users\n\tdrop column note;', 'drops what'],
		['alter table users rename column a to b;', 'renames'],
		['alter table users rename to members;', 'renames'],
		['alter table users alter column a type bigint;', 'changes a type'],
		['alter table users alter a set not null;', 'refuses rows'],
		['alter table users add column a text not null;', 'the version before does not fill it'],
		['alter table users add column a int default 0, add column b int not null;', 'does not fill it'],
		['alter table users drop constraint users_check;', 'drops the constraint users_check'],
		['drop trigger keep on users;', 'drops the trigger keep'],
		['-- Contract: 9.9.9 no longer uses it.\ndrop table users;', 'not released'],
	])('refuses %s', (text, reason) => {
		expect(offences(text).join()).toContain(reason)
	})
})
