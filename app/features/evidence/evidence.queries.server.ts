import { type RawBuilder, sql } from 'kysely'
import type { TermSource } from '~/features/terms/sources.server.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'
import type { EvidenceKind } from './evidence.view.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		skill_evidence: {
			user_id: number
			skill_id: number
			/** The number of the comment, or the id of the project or certificate. */
			source: string
			kind: EvidenceKind
			at: Date
			weight: number
		}
		skill_strengths: { user_id: number; skill_id: number; strength: number }
	}
}

/** Who reads: anybody; a moderator, who also sees sections hidden from others; or the member, who sees all of them. */
export type EvidenceReader = 'other' | 'moderator' | 'owner'

const sources: Record<EvidenceReader, RawBuilder<unknown>> = {
	other: sql`shown_evidence`,
	moderator: sql`(select e.* from skill_evidence e join profile_skills using (user_id, skill_id) where not evidence_hidden)`,
	owner: sql`skill_evidence`,
}

/** A piece of evidence, with the total of its skill. */
export interface EvidenceRow {
	skill: string
	hidden: boolean
	/** As of now. */
	strength: number
	solutions: number
	answers: number
	projects: number
	certificates: number
	kind: EvidenceKind
	source: string
	title: string
	/** ISO 8601. */
	at: string
}

/** Evidence of a member's skills, strongest skill first, with the `limit` heaviest pieces of each. */
export async function listEvidenceRows(userId: number, reader: EvidenceReader, limit: number): Promise<EvidenceRow[]> {
	const { rows } = await sql<EvidenceRow>`
		with weighed as (
			select *, weight * evidence_scale(at) / evidence_scale(now()) as weighs from ${sources[reader]} e where user_id = ${userId}),
		pieces as (
			select *, row_number() over (partition by skill_id order by weighs desc, source) as place,
				sum(weighs) over each_skill as strength,
				(count(*) filter (where kind = 'solution') over each_skill)::int as solutions,
				(count(*) filter (where kind = 'answer') over each_skill)::int as answers,
				(count(*) filter (where kind = 'project') over each_skill)::int as projects,
				(count(*) filter (where kind = 'certificate') over each_skill)::int as certificates
			from weighed window each_skill as (partition by skill_id))
		select skills.name as skill, evidence_hidden as hidden, strength, solutions, answers, projects, certificates, kind, source,
			coalesce(case
				when kind in ('solution', 'answer') then (
					select title from comments join questions on questions.id = question_id where comments.id = pieces.source::int)
				when kind = 'project' then (select project_title from projects where project_id = pieces.source::uuid)
				else (select certificate_title from certificates where certificate_id = pieces.source::uuid) end, '') as title,
			${isoSeconds('at')} as at
		from pieces join skills on skills.id = skill_id join profile_skills using (user_id, skill_id)
		where place <= ${limit} order by strength desc, position, place`.execute(db())
	return rows
}

/** Sets for which of these skills others see the evidence. Ignores skills that the member does not have. */
export async function writeEvidenceShown(
	trx: Executor,
	userId: number,
	given: { skill: string; shown: boolean }[],
): Promise<void> {
	await sql`
		update profile_skills set evidence_hidden = not shown
		from unnest(${given.map(({ skill }) => skill.toLowerCase())}::text[], ${given.map(({ shown }) => shown)}::bool[]) as given (key, shown)
		join skills on name_key = key
		where user_id = ${userId} and skill_id = skills.id and evidence_hidden = shown`.execute(trx)
}

/** The members with at least this strength in any of these skills, strongest first. */
export async function listStrongest(skills: string[], strength: number, limit: number): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		select user_id from skills cross join lateral (
			select user_id, strength from skill_strengths
			where skill_id = skills.id and strength >= ${strength}::float8 * evidence_scale(now())
			order by strength desc, user_id limit ${limit}) strongest
		where name_key = any(${skills.map((skill) => skill.toLowerCase())}::text[])
		order by strength desc, user_id limit ${limit}`.execute(db())
	return rows.map((row) => row.user_id)
}

/** Recalculates the evidence of these members. */
export async function refreshEvidence(ids: number[]): Promise<void> {
	await sql`select refresh_evidence(${ids}::int[])`.execute(db())
}

/** Those of these members whose stored evidence is stale. */
export async function listStaleEvidence(ids: number[]): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`select stale_evidence(${ids}::int[]) as id order by 1`.execute(db())
	return rows.map(({ id }) => id)
}

/** The next members, by id, who have skills or evidence. */
export async function listSkilledMembersAfter(id: number, limit: number): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		select user_id from profile_skills where user_id > ${id} union select user_id from skill_evidence where user_id > ${id}
		order by user_id limit ${limit}`.execute(db())
	return rows.map((row) => row.user_id)
}

/** Members whose answers were accepted or voted for by somebody whose suspension has expired within the last two days. */
export async function listVouchedByReinstated(): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		with back as materialized (select id from users where suspended_until between now() - interval '2 days' and now())
		select author_id as id from comments join comment_votes on comment_id = comments.id
			where comment_votes.user_id in (select id from back) and value = 1
		union
		select comments.author_id from comments join questions on questions.id = question_id
			where questions.author_id in (select id from back) and is_solution`.execute(db())
	return rows.map(({ id }) => id)
}

/** Members per transaction, so that its locks are short. */
export const EVIDENCE_BATCH = 200

/**
 * The evidence as a source of terms. It stores no words of its own, but titles and parent terms affect it. Changes of skills, tags and
 * projects update the evidence by triggers.
 */
export const evidenceTerms: TermSource = {
	nouns: ['skill', 'skills'],
	async align(termId) {
		await renameHidden(termId)
		for (let last = 0; ; ) {
			const ids = await listMembersOfTerm(termId, last)
			if (ids.length > 0) await refreshEvidence(ids)
			last = ids.at(-1) ?? 0
			if (ids.length < EVIDENCE_BATCH) return 0
		}
	},
	count: async () => 0,
	countUses: async () => 0,
	listUnknown: async () => [],
}

/**
 * Moves the choices to hide evidence of skills that are not on the profile to the name of their term. If the skill of that name is on the
 * profile, its evidence now includes what its member hid, and is hidden.
 */
async function renameHidden(termId: number | null): Promise<void> {
	const renamed = sql`
		select user_id, name_key, lower(t.name) as main from hidden_evidence
		join term_spellings on key = term_key(name_key) join vocabulary_terms t on t.id = term_id
		where name_key <> lower(t.name) ${termId === null ? sql`` : sql`and t.id = ${termId}`}`
	await db()
		.transaction()
		.execute(async (trx) => {
			// A change of the terms between two statements would lose choices.
			await lockTermsShared(trx)
			// In the order of saving skills: the profile first.
			const { rows } = await sql<{ user_id: number }>`
				select user_id from profiles where user_id in (select user_id from (${renamed}) renamed) order by user_id for update`.execute(
				trx,
			)
			if (rows.length === 0) return
			await sql`
				update profile_skills kept set evidence_hidden = true from (${renamed}) renamed join skills on skills.name_key = main
				where kept.user_id = renamed.user_id and kept.skill_id = skills.id and not kept.evidence_hidden`.execute(trx)
			await sql`
				insert into hidden_evidence (user_id, name_key) select user_id, main from (${renamed}) renamed
				where not exists (select from profile_skills kept join skills on skills.id = kept.skill_id
					where kept.user_id = renamed.user_id and skills.name_key = main)
				on conflict do nothing`.execute(trx)
			await sql`
				delete from hidden_evidence using (${renamed}) renamed
				where hidden_evidence.user_id = renamed.user_id and hidden_evidence.name_key = renamed.name_key`.execute(trx)
		})
}

/** The next members, by id, who have the skill of a term or of one of its parents. @param termId null for any skill */
async function listMembersOfTerm(termId: number | null, after: number): Promise<number[]> {
	if (termId === null) return listSkilledMembersAfter(after, EVIDENCE_BATCH)
	const { rows } = await sql<{ user_id: number }>`
		select distinct user_id from term_spellings join skills on skills.term_key = key
		join profile_skills on skill_id = skills.id
		where (term_id = ${termId} or term_id in (select parent_id from term_parents where term_parents.term_id = ${termId}))
			and user_id > ${after} order by user_id limit ${EVIDENCE_BATCH}`.execute(db())
	return rows.map((row) => row.user_id)
}

/**
 * Stops the triggers from recalculating the evidence of members who are being deleted, in this transaction. Recalculating it after each
 * deleted text would take quadratic time.
 */
export async function skipEvidenceRefresh(trx: Executor, accounts: readonly number[]): Promise<void> {
	await sql`select set_config('devquad.evident', ${[...accounts]}::int[]::text, true)`.execute(trx)
}

/**
 * Stores what each solution that these accounts of one member accepted weighs, before their questions go to the account of former members:
 * later, nobody can tell which were accepted by the same person. Those accepted under a pseudonym stay with all others of pseudonyms, so
 * that no weight changes, which would tell whose they were. All in one statement; a later call finds only what is left.
 */
export async function keepSolutionWeights(accounts: readonly number[]): Promise<void> {
	await sql`
		update comments set left_weight = case when is_pseudonymous then 0 else power(0.5::float8, least(40, place - 1)) end from (
			select c.id, asker.pseudonym_of is not null as is_pseudonymous, row_number() over (
				partition by c.author_id, asker.id order by q.status = 'published' desc, c.created_at desc, c.id desc) as place
			from questions q join users asker on asker.id = q.author_id join comments c on c.question_id = q.id
			where asker.id = any(${[...accounts]}::int[]) and c.is_solution) accepted
		where comments.id = accepted.id and left_weight is null`.execute(db())
}

/** The evidence for a member's skills, by their names, for the archive. */
export function archivedEvidence(memberId: number): RawBuilder<unknown> {
	return sql`select s.name as skill, e.source, e.kind, e.at, e.weight
		from skill_evidence e join skills s on s.id = e.skill_id where e.user_id = ${memberId} order by e.at`
}

/** The strengths of a member's skills, by their names, for the archive. */
export function archivedStrengths(memberId: number): RawBuilder<unknown> {
	return sql`select s.name as skill, e.strength
		from skill_strengths e join skills s on s.id = e.skill_id where e.user_id = ${memberId} order by e.strength desc`
}
