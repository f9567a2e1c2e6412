import type { RawBuilder } from 'kysely'
import type { Executor } from './db/db.server.ts'

/**
 * What happens to a row when a member that it names leaves: it is deleted, or kept without the member. The foreign key says the
 * same: `on delete cascade` deletes; `set null` and `set default` keep. Where a key would delete a row that is to be kept, a {@link
 * LeavingStep} changes the row first.
 */
export type OnLeaving = 'deleted' | 'kept'

/** Maximum characters of a column, null for any, or `json` for a `jsonb` column. */
export type Mentions = Readonly<Record<string, number | 'json' | null>>

/**
 * What happens to a row that names a member whose account is merged into another one, the kept account.
 * - `'moves'`: the column then names the kept account.
 * - `unlessSame`: it moves, unless the kept account has a row with the same values in these columns, which then remains the only
 *   one; with no columns, unless it has any row at all.
 * - `ends`: the row is deleted, for this reason.
 * - `step`: a {@link MergeStep} of the feature handles it, as described.
 * - `stays`: the row is about somebody else or about the past, for this reason.
 */
export type MergeRule =
	| 'moves'
	| { unlessSame: readonly string[] }
	| { ends: string }
	| { step: string }
	| { stays: string }

/** What a table stores about members. */
export interface MemberTable {
	/** Each column that names a member, and what happens to the row. The first column decides whose archive the rows go into. */
	members: Readonly<Record<string, OnLeaving>>
	/** For each of these columns, what happens to the row when the account is merged. */
	merge: Readonly<Record<string, MergeRule>>
	/** A noun for its rows in the preview of a merge; omitted where they mean nothing to people, or grow with what is done under or to a pseudonym. */
	called?: string
	/** The columns that go into a member's archive; or a reason why none does. */
	archive: readonly string[] | string
	/** Text columns that are left out of the archive, each with the reason. */
	withheld?: Readonly<Record<string, string>>
	/**
	 * Text columns in which others may have mentioned a member by username, each with its maximum characters, null for any, `json`
	 * for a `jsonb` column. When that member leaves, they say `former-member`.
	 */
	mentions?: Mentions
	/** The rows that go into the archive, where the first member column does not determine them: a statement from a queries file. */
	rows?: (memberId: number) => RawBuilder<unknown>
}

/**
 * What a feature stores about members: each of its tables by name. A string says why a table holds nothing about a single member.
 * `tests/member-data.db.test.ts` reads the schema, and fails for a table, a reference to a member or a text column that is missing
 * here.
 */
export type MemberData = Readonly<Record<string, MemberTable | string>>

/** A member whose account is being deleted. */
export interface Leaver {
	id: number
	/** The ids of the member and their pseudonyms. */
	accounts: readonly number[]
	username: string
	/** All usernames that they ever had, including the present one. */
	usernames: readonly string[]
	name: string
	/** Their one or two addresses. */
	emails: readonly string[]
	/** The username that replaces theirs where others see whom they talked to: of an account that reveals nothing. */
	alias: string
	/** Whether their posts in the forum stay, without their name. */
	keepsTexts: boolean
}

/**
 * A step for one member who leaves, where no foreign key does it. It is called until nothing is left; each call is a committed
 * batch, so a process may be killed at any time.
 * @returns whether there may be more to do
 */
export type LeavingStep = (leaver: Leaver) => Promise<boolean>

/** Two accounts of the same person: the rows of `goneId` move to `keptId`, and the first account is deleted. */
export interface Merge {
	goneId: number
	keptId: number
}

/**
 * A step of a merge that no {@link MergeRule} covers, run before the rules. It is called twice in the transaction: once while
 * others may still write, then once while nobody can. The second call handles what was written in between.
 */
export type MergeStep = (trx: Executor, merge: Merge) => Promise<void>

/** Data about members that is stored for a number of days, which admins set. */
export interface RetentionRule {
	/** The name of its setting and its metric; never change it. */
	key: string
	/** What is stored, for the form and the privacy page. */
	label: string
	/** From when the days count, and what is removed. */
	hint: string
	days: { default: number; min: number; max: number }
	/**
	 * Removes at most `limit` rows that are older than `days`, and commits. It may be interrupted at any time, and is called again
	 * until it finds less than `limit`.
	 * @returns how many it found
	 */
	remove: (days: number, limit: number) => Promise<number>
}

/** Replaces the username of a member who left. The account of former members has it, unless somebody else had it first. */
export const FORMER_USERNAME = 'former-member'

/** The account that owns posts of authors who left. A row of `users` that nobody can log in to. */
export const FORMER_MEMBER = 0
/** Its display name. */
export const FORMER_NAME = 'Former member'

/** The tables of the platform, which belong to no feature. */
export const platformData: MemberData = {
	migrations: 'which migrations were run',
	counters: 'numbers of the whole site',
	milestones: 'what was done once to this site',
	connections: {
		members: { user_id: 'deleted' },
		merge: { user_id: { ends: 'tabs of sessions that end' } },
		archive: 'which tabs are open at this moment',
	},
}
