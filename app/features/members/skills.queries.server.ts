import { type RawBuilder, sql } from 'kysely'
import type { TermSource, UsedWord } from '~/features/terms/sources.server.ts'
import { listTermsOfWords, lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { escapeLike } from '~/platform/db/times.server.ts'
import type { Merge } from '~/platform/member-data.ts'

export interface SkillRow {
	name: string
	name_key: string
	member_count: number
}

/** Skills that start with `prefix` (lower case), most common first, and those in `keys`. */
export async function listSkillsLike(prefix: string, keys: string[], limit: number): Promise<SkillRow[]> {
	const pattern = `${escapeLike(prefix)}%`
	const { rows } = await sql<SkillRow>`
		(select name, name_key, member_count from skills where name_key like ${pattern}
			order by member_count desc, name_key limit ${limit})
		union (select name, name_key, member_count from skills where name_key = any(${keys}))`.execute(db())
	return rows
}

/** The present spellings of these skills (lower case). */
export async function listSpellings(trx: Executor, keys: string[]): Promise<Map<string, string>> {
	const { rows } = await sql<SkillRow>`select name, name_key from skills where name_key = any(${keys})`.execute(trx)
	return new Map(rows.map(({ name, name_key }) => [name_key, name]))
}

/** The number of members with a skill. */
export const skillCounter: Counter = {
	table: 'skills',
	column: 'member_count',
	key: 'name_key',
	actual: sql`(select count(*) from profile_skills s where s.skill_id = t.id)`,
}

/**
 * Replaces a member's skills, in this order, and updates the counters. The caller must lock the profile row; skills are locked in the order
 * of their keys to avoid deadlocks.
 */
export async function replaceSkills(trx: Executor, userId: number, names: string[]): Promise<void> {
	const keys = names.map((name) => name.toLowerCase())
	await sql`
		insert into skills (name, name_key)
		select * from unnest(${names}::text[], ${keys}::text[]) as given (name, name_key) order by name_key
		on conflict (name_key) do nothing`.execute(trx)
	await sql`
		select 1 from skills
		where name_key = any(${keys}) or id in (select skill_id from profile_skills where user_id = ${userId})
		order by name_key for update`.execute(trx)
	await sql`
		with wanted as (
			select skills.id, given.position from unnest(${keys}::text[]) with ordinality as given (name_key, position)
			join skills using (name_key)
		), gone as (
			delete from profile_skills where user_id = ${userId} and skill_id not in (select id from wanted) returning skill_id
		), had as (
			select skill_id from profile_skills where user_id = ${userId}
		), linked as (
			insert into profile_skills (user_id, skill_id, position) select ${userId}, id, position - 1 from wanted
			on conflict (user_id, skill_id) do update set position = excluded.position
		)
		update skills set member_count = member_count + change.by
		from (
			select id, 1 as by from wanted where id not in (select skill_id from had)
			union all select skill_id, -1 from gone
		) as change
		where skills.id = change.id`.execute(trx)
}

/** The names of the skills that two members share, in the order of the second one. */
export async function listShared(userId: number, peerId: number): Promise<string[]> {
	const { rows } = await sql<{ name: string }>`
		select skills.name from shown_skills theirs
		join profile_skills mine on mine.skill_id = theirs.skill_id and mine.user_id = ${userId}
		join skills on skills.id = theirs.skill_id
		where theirs.user_id = ${peerId} order by theirs.position`.execute(db())
	return rows.map(({ name }) => name)
}

/** Members per transaction, so that nobody who edits one of these profiles waits long. */
const BATCH_SIZE = 200

/** The skills of profiles as a source of terms. */
export const skillTerms: TermSource = {
	nouns: ['profile', 'profiles'],
	async align(termId) {
		let changed = 0
		for (const skill of await listMisspelt(termId)) {
			let moved = BATCH_SIZE
			while (moved === BATCH_SIZE) {
				moved = await db()
					.transaction()
					.execute((trx) => moveSkill(trx, skill, BATCH_SIZE))
				changed += moved
			}
		}
		return changed
	},
	async count({ keys, name }) {
		const { rows } = await sql<{ members: number }>`
			select coalesce(sum(member_count), 0)::int as members from skills
			where term_key = any(${keys}) and name <> ${name}`.execute(db())
		return rows[0]?.members ?? 0
	},
	async countUses(keys) {
		const { rows } = await sql<{ members: number }>`
			select coalesce(sum(member_count), 0)::int as members from skills where term_key = any(${keys})`.execute(db())
		return rows[0]?.members ?? 0
	},
	async listUnknown(limit) {
		const { rows } = await sql<UsedWord>`
			select name as word, member_count as uses from skills s
			where member_count > 0 and not exists (
				select from term_spellings where key = s.term_key and term_id is not null)
			order by member_count desc, name_key limit ${limit}`.execute(db())
		return rows
	},
}

interface MisspeltSkill {
	id: number
	word: string
	/** The name of its term. */
	name: string
}

/** Skills that are spelled differently from their terms. */
async function listMisspelt(termId: number | null): Promise<MisspeltSkill[]> {
	const { rows } = await sql<MisspeltSkill>`
		select s.id, s.name as word, t.name from skills s join term_spellings on key = s.term_key join vocabulary_terms t on t.id = term_id
		where s.name <> t.name ${termId === null ? sql`` : sql`and t.id = ${termId}`} order by s.name_key`.execute(db())
	return rows
}

/**
 * Replaces a skill by the one with this name for the next members who have it, at the same place in their lists, and deletes it once nobody
 * has it. A skill that differs only in case is renamed.
 * @returns the number of members that were left, at most `limit`
 */
async function moveSkill(trx: Executor, { id, word, name }: MisspeltSkill, limit: number): Promise<number> {
	await lockTermsShared(trx)
	// Whoever has changed the term since respells its words too.
	if ((await listTermsOfWords(trx, [word])).get(word)?.name !== name) return 0
	const { rows: alike } = await sql<{ members: number }>`
		update skills set name = ${name} where id = ${id} and name_key = lower(${name}) returning member_count as members`.execute(
		trx,
	)
	if (alike[0]) {
		// The search suggestions show the label too.
		await sql`update terms set label = ${name} where kind = 'skill' and key = search_key(${name})`.execute(trx)
		return Math.min(alike[0].members, limit - 1)
	}
	await sql`
		insert into skills (name, name_key) values (${name}, lower(${name})) on conflict (name_key) do nothing`.execute(trx)
	// In the order that saving a profile locks: the profile, then its skills by key.
	const { rows: owners } = await sql<{ user_id: number }>`
		select user_id from profile_skills where skill_id = ${id} order by user_id limit ${limit}`.execute(trx)
	const ids = owners.map((owner) => owner.user_id)
	await sql`select 1 from profiles where user_id = any(${ids}::int[]) order by user_id for update`.execute(trx)
	// A trigger locks the account of each member at the commit, and their evidence after it: of one member after the other.
	await sql`select 1 from users where id = any(${ids}::int[]) order by id for no key update`.execute(trx)
	await sql`select 1 from skills where id = ${id} or name_key = lower(${name}) order by name_key for update`.execute(
		trx,
	)
	// If the owner hides the evidence of either skill, that of the merged one stays hidden.
	await sql`
		update profile_skills kept set evidence_hidden = true from profile_skills gone, skills
		where gone.skill_id = ${id} and gone.evidence_hidden and gone.user_id = any(${ids}::int[])
			and skills.name_key = lower(${name}) and kept.skill_id = skills.id and kept.user_id = gone.user_id`.execute(trx)
	await sql`
		with gone as (
			delete from profile_skills where skill_id = ${id} and user_id = any(${ids}::int[])
			returning user_id, position, evidence_hidden
		), fresh as (
			insert into profile_skills (user_id, skill_id, position, evidence_hidden)
			select gone.user_id, skills.id, gone.position, gone.evidence_hidden from gone, skills where skills.name_key = lower(${name})
			on conflict do nothing returning user_id
		)
		update skills set member_count = member_count + case id
			when ${id} then -(select count(*)::int from gone) else (select count(*)::int from fresh) end
		where id = ${id} or name_key = lower(${name})`.execute(trx)
	await sql`
		delete from skills where id = ${id} and not exists (select from profile_skills where skill_id = ${id})`.execute(trx)
	return ids.length
}

/** Deletes skills that nobody has. The table lock waits for transactions that are adding one. */
export async function deleteUnusedSkills(): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await sql`lock table skills in share row exclusive mode`.execute(trx)
			await sql`delete from skills where not exists (select from profile_skills where skill_id = skills.id)`.execute(
				trx,
			)
		})
}

/** The names of a member's skills, for their archive. */
export function archivedSkills(memberId: number): RawBuilder<unknown> {
	return sql`select s.name, p.position, p.evidence_hidden from profile_skills p join skills s on s.id = p.skill_id
		where p.user_id = ${memberId} order by p.position`
}

/** Merges the skills of two accounts: shared ones are counted once, and those of the merged account come last. */
export async function mergeSkills(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const twins = sql`profile_skills other where other.user_id = ${goneId} and exists (
		select from profile_skills mine where mine.user_id = ${keptId} and mine.skill_id = other.skill_id)`
	// Evidence that either account hides stays hidden.
	await sql`
		update profile_skills mine set evidence_hidden = true from profile_skills other
		where mine.user_id = ${keptId} and other.user_id = ${goneId} and other.skill_id = mine.skill_id
			and other.evidence_hidden and not mine.evidence_hidden`.execute(trx)
	await sql`
		with locked as (select id from skills where id in (select skill_id from ${twins}) order by name_key for no key update)
		update skills set member_count = member_count - 1 from locked where skills.id = locked.id`.execute(trx)
	await sql`delete from ${twins}`.execute(trx)
	await sql`delete from hidden_evidence using skills, profile_skills
		where hidden_evidence.user_id = ${goneId} and skills.name_key = hidden_evidence.name_key
			and profile_skills.skill_id = skills.id and profile_skills.user_id = ${keptId}`.execute(trx)
	await sql`
		update profile_skills set position = position + (
			select coalesce(max(position), -1) + 1 from profile_skills where user_id = ${keptId})
		where user_id = ${goneId}`.execute(trx)
}
