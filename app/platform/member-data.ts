import type { RawBuilder } from 'kysely'
import type { Executor } from './db/db.server.ts'

/**
 * What becomes of a row when the member that one of its columns names leaves: it is deleted, or kept without the member.
 * A foreign key says the same: `on delete cascade` deletes; `set null` and `set default` keep. Where a key deletes what is to be kept, a
 * step of {@link LeavingStep} hands it over before.
 */
export type Fate = 'deleted' | 'kept'

/** The most characters of a column, null for any, or `json` for one of the type `jsonb`. */
export type Mentions = Readonly<Record<string, number | 'json' | null>>

/**
 * What becomes of the rows that a column names a member in, when their account is merged into another one's, the kept account.
 * - `'moves'`: the column names the kept account.
 * - `unlessSame`: it moves, unless the kept account has a row with the same values in these columns, which then stays alone; with no
 *   columns, unless it has any row at all.
 * - `ends`: the row goes, for this reason.
 * - `step`: a {@link MergeStep} of the feature does it, as this says.
 * - `stays`: the row is about somebody else, or about the past, for this reason.
 */
export type MergeRule =
	| 'moves'
	| { unlessSame: readonly string[] }
	| { ends: string }
	| { step: string }
	| { stays: string }

/** What one table holds of members. */
export interface MemberTable {
	/** Each column that names a member, and what becomes of the row. The first one says whose rows go into an archive. */
	members: Readonly<Record<string, Fate>>
	/** For each of these columns what becomes of the row when the account is merged into another one. */
	merge: Readonly<Record<string, MergeRule>>
	/** What its rows are, for who looks at what a merge would do; left out where they mean nothing to anybody. */
	called?: string
	/** The columns that go into the archive of a member; or, in words, why none does. */
	archive: readonly string[] | string
	/** Columns with text that stay out of the archive, each with the reason. */
	withheld?: Readonly<Record<string, string>>
	/**
	 * Columns of text in which others may have named a member by the username, each with the most characters that it holds, null for any,
	 * `json` for one of the type `jsonb`: when that member leaves, they say `former-member`.
	 */
	mentions?: Mentions
	/** The rows that go into the archive, where they are not those of the first member column: a statement from a queries file. */
	rows?: (memberId: number) => RawBuilder<unknown>
}

/**
 * What a feature stores of members: each of its tables by its name. A string says why a table holds nothing of any one member.
 * `tests/member-data.db.test.ts` reads the schema and refuses a table, a reference to a member or a column of text that is missing here.
 */
export type MemberData = Readonly<Record<string, MemberTable | string>>

/** A member whose account is being deleted. */
export interface Leaver {
	id: number
	/** The member and their pseudonyms. */
	accounts: readonly number[]
	username: string
	/** All that they ever had, the present one among them. */
	usernames: readonly string[]
	name: string
	/** The one or two that are theirs. */
	emails: readonly string[]
	/** The username that stands in for theirs where others see whom they talked to: of an account that says nothing of them. */
	alias: string
	/** Whether what they wrote in the forum stays, without their name. */
	keepsTexts: boolean
}

/**
 * Work on one member who leaves, for what no foreign key does. It is called until it has nothing left to do; each call is a batch of its
 * own, so that a process may be killed at any time.
 * @returns whether there may be more to do
 */
export type LeavingStep = (leaver: Leaver) => Promise<boolean>

/** Two accounts of the same person: the rows of `goneId` become those of `keptId`, and the first account ends. */
export interface Merge {
	goneId: number
	keptId: number
}

/**
 * Work on two accounts that become one, for what no {@link MergeRule} says, before the rules are followed. It is called twice in the
 * transaction: once while others may still write, once while nobody can. The second call finds what was written in between.
 */
export type MergeStep = (trx: Executor, merge: Merge) => Promise<void>

/** Something about members that is stored for a number of days, which admins set. */
export interface RetentionRule {
	/** Names its setting and its figure; never to be changed. */
	key: string
	/** What is stored, as the form and the privacy page call it. */
	label: string
	/** From when the days count, and what goes. */
	hint: string
	days: { default: number; min: number; max: number }
	/**
	 * Removes what is older than `days`, at most `limit` of it, committed by itself: it may be interrupted at any time, and is called again
	 * until it finds less than `limit`.
	 * @returns how many it found
	 */
	remove: (days: number, limit: number) => Promise<number>
}

/** What stands for the username of a member who left. The account of former members has it, unless somebody had it first. */
export const FORMER_USERNAME = 'former-member'

/** The account that texts belong to whose author left. It is a row of `users` that nobody logs in to. */
export const FORMER_MEMBER = 0
/** What its texts are called by. */
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
