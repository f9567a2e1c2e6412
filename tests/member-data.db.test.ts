import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { movedColumns } from '~/features/account-merge/merging.server.ts'
import { features } from '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { FORMER_MEMBER, type MemberTable, platformData } from '~/platform/member-data.ts'
import { useDatabase } from './support/database.ts'

/*
 * Every table is classified by its feature: what goes into a member's archive, and what happens when the member leaves. The test reads the
 * schema itself, so that a new table or column without a rule fails.
 */

interface Column {
	table: string
	name: string
	/** Whether it can contain text by members or the site. */
	is_text: boolean
	/** The `on delete` action of its foreign key to users: c cascade, n set null, d set default, a no action; null without a key. */
	on_delete: 'c' | 'n' | 'd' | 'a' | 'r' | null
}

/** Columns with such names hold members' ids, with or without a foreign key. */
const MEMBER_NAME =
	/(^|_)(user|member|actor|author|sender|recipient|editor|moderator|inviter|blocker|blocked|reporter|owner)_ids?$|_by$/

useDatabase()

let columns: Column[]
const owners = [
	...features.map(({ name, memberData = {} }) => ({ name, memberData })),
	{ name: 'platform', memberData: platformData },
]
const classified = owners.flatMap(({ name, memberData }) =>
	Object.entries(memberData).map(([table, entry]) => ({ owner: name, table, entry })),
)
const tables = classified.filter((one): one is typeof one & { entry: MemberTable } => typeof one.entry !== 'string')

beforeAll(async () => {
	const { rows } = await sql<Column>`
		select c.relname as table, a.attname as name, f.confdeltype as on_delete,
			a.attgenerated = '' and (coalesce(item.typcategory, t.typcategory) = 'S' or t.typname in ('json', 'jsonb', 'bytea', 'inet')) as is_text
		from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		join pg_type t on t.oid = a.atttypid left join pg_type item on item.oid = nullif(t.typelem, 0) and t.typcategory = 'A'
		left join pg_constraint f on f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'users'::regclass and f.conkey = array[a.attnum]
		where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
		order by c.relname, a.attnum`.execute(db())
	columns = rows
})

/** The columns with this fault, as `table.column`. */
function those(faulty: (column: Column, entry: MemberTable) => boolean): string[] {
	const entries = new Map(tables.map(({ table, entry }) => [table, entry]))
	return columns.flatMap((column) => {
		const entry = entries.get(column.table)
		return entry && faulty(column, entry) ? [`${column.table}.${column.name}`] : []
	})
}

describe('data about members', () => {
	test('each table is classified by one feature', () => {
		expect(classified.map(({ table }) => table).sort()).toEqual([...new Set(columns.map(({ table }) => table))].sort())
	})

	test('a table that references members says what happens to its rows', () => {
		const silent = new Set(classified.filter(({ entry }) => typeof entry === 'string').map(({ table }) => table))
		const named = columns.filter(({ on_delete, name }) => on_delete !== null || MEMBER_NAME.test(name))
		expect(
			named.filter(({ table }) => silent.has(table) && !['session_revocations'].includes(table)),
			'names members',
		).toEqual([])
		expect(
			those(({ name, on_delete }, { members }) => (on_delete !== null || MEMBER_NAME.test(name)) && !(name in members)),
		).toEqual([])
	})

	test('the declarations match the foreign keys', () => {
		const leaving = new Set(
			features.filter((feature) => feature.leaving?.length).flatMap(({ memberData = {} }) => Object.keys(memberData)),
		)
		// A key without an action would make deletions fail, so that nobody could leave.
		expect(those(({ on_delete }) => on_delete === 'a' || on_delete === 'r')).toEqual([])
		expect(
			those(({ table, name, on_delete }, { members }) => {
				if (on_delete === null) return false
				if (on_delete === 'c') return members[name] !== 'deleted' && !leaving.has(table)
				return members[name] !== 'kept'
			}),
		).toEqual([])
	})

	test('each text column is in the archive, or has a reason why not', () => {
		expect(
			those(
				({ name, is_text }, { archive, withheld = {} }) =>
					is_text && typeof archive !== 'string' && !archive.includes(name) && !(name in withheld),
			),
		).toEqual([])
	})

	test('all named columns exist', () => {
		const known = new Set(columns.map(({ table, name }) => `${table}.${name}`))
		const named = tables.flatMap(({ table, entry: { members, archive, withheld = {}, rows } }) =>
			[...Object.keys(members), ...(typeof archive === 'string' || rows ? [] : archive), ...Object.keys(withheld)].map(
				(name) => `${table}.${name}`,
			),
		)
		expect(named.filter((name) => !known.has(name))).toEqual([])
	})

	test('nobody can log in to the account of former members', async () => {
		const { rows } = await sql`select id, name, imported, role from users`.execute(db())
		expect(rows).toEqual([{ id: FORMER_MEMBER, name: 'Former member', imported: true, role: 'member' }])
	})
})

/** Columns of unique indexes that are moved nevertheless, each with the reason. */
const REFUSED: Record<string, string> = {
	'takedowns.member_id': 'of an account with an act under way, which alone is unique, no merge begins',
}

describe('rules for merging accounts', () => {
	interface Unique {
		table: string
		columns: string[]
		whole: boolean
	}
	let uniques: Unique[]
	const moved = movedColumns([...features, { name: 'platform', memberData: platformData }])

	beforeAll(async () => {
		const { rows } = await sql<Unique>`
			select c.relname as table, i.indpred is null as whole, array(
				select a.attname::text from unnest(i.indkey::int[]) with ordinality as key (attnum, place)
				join pg_attribute a on a.attrelid = c.oid and a.attnum = key.attnum order by place) as columns
			from pg_index i join pg_class c on c.oid = i.indrelid
			where i.indisunique and c.relnamespace = 'public'::regnamespace`.execute(db())
		uniques = rows
	})

	test('each column that references a member has a rule', () => {
		const members = tables.flatMap(({ table, entry }) =>
			Object.keys(entry.members).map((column) => `${table}.${column}`),
		)
		expect(moved.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(members.sort())
	})

	test('rows move only where no unique index can reject them', () => {
		const wrong = moved.flatMap(({ table, column, rule }) => {
			const others = uniques
				.filter((one) => one.table === table && one.columns.includes(column))
				.map(({ columns }) => columns.filter((name) => name !== column))
			if (rule === 'moves' && !REFUSED[`${table}.${column}`])
				return others.length > 0 ? [`${table}.${column} moves, and ${others} is unique`] : []
			if (rule === 'moves' || !('unlessSame' in rule)) return []
			const missing = new Set(others.flat()).difference(new Set(rule.unlessSame))
			return missing.size > 0 ? [`${table}.${column}: ${[...missing]}`] : []
		})
		expect(wrong).toEqual([])
	})

	test('a rule that leaves rows to a step has a step', () => {
		const silent = features.filter(
			({ merging, memberData = {} }) =>
				!merging &&
				Object.entries(memberData).some(
					([table, entry]) =>
						table !== 'users' &&
						typeof entry !== 'string' &&
						Object.values(entry.merge).some((rule) => typeof rule === 'object' && 'step' in rule),
				),
		)
		expect(silent.map(({ name }) => name)).toEqual([])
	})
})
