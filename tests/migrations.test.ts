import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/*
 * Nodes of the previous version serve during and after a migration (docs/decisions/0085-updates-beside-what-runs.md): it may add, and only
 * remove what no released version uses any more.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
/** The first migration under the rule; earlier ones were applied with all nodes stopped. */
const FIRST = 95

const released = [...readFileSync(`${root}CHANGELOG.md`, 'utf8').matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
	([, version]) => version ?? '',
)
const migrations = readdirSync(`${root}migrations`)
	.filter((name) => Number.parseInt(name, 10) >= FIRST)
	.map((name) => [name, readFileSync(`${root}migrations/${name}`, 'utf8')] as const)

/** Statements that the previous version may not survive, with the alternative. */
const forbidden: [RegExp, string][] = [
	[/\bdrop (table|column|view|materialized view|function|type|schema)\b/, 'drops what the version before may use'],
	[/\brename\b/, 'renames what the version before uses by its name'],
	[/\balter (column )?\w+ (set data )?type\b/, 'changes a type: add a column of the new one, and fill both'],
	[/\bset not null\b/, 'refuses rows that the version before still writes'],
	[/\btruncate\b/, 'empties a table'],
]

/** The violations in a migration; empty if the previous version can keep running. */
function offences(text: string): string[] {
	const [, version] = /^-- Contract: (\d+\.\d+\.\d+) no longer uses \S/.exec(text) ?? []
	if (version) return released.includes(version) ? [] : [`names ${version}, which is not released`]
	const sql = withoutTexts(text)
	const statements = sql.split(';').map((statement) => statement.replace(/\s+/g, ' ').trim().toLowerCase())
	const created = new Set([...sql.matchAll(/create table (?:if not exists )?(\w+)/gi)].map(([, table]) => table))
	return statements.flatMap((statement) => {
		const [, table] = /^alter table (?:only )?(?:if exists )?(\w+)/.exec(statement) ?? []
		// A table that the migration itself creates is unknown to the previous version.
		if (table && created.has(table)) return []
		const found = forbidden.filter(([pattern]) => pattern.test(statement)).map(([, reason]) => reason)
		return [...found, ...unmatchedDrops(statement, statements), ...columnsWithoutDefault(statement)]
	})
}

/** Removes comments and quoted text, such as function bodies. */
function withoutTexts(text: string): string {
	return text
		.replace(/--.*$/gm, '')
		.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
		.replace(/'(?:[^']|'')*'/g, "''")
}

/** Dropped constraints, triggers and indexes must be re-created, under the same name or another one. */
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

test('migrations remove nothing that the previous version uses', () => {
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
