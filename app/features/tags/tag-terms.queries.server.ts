import { sql } from 'kysely'
import type { TermSource, UsedWord } from '~/features/terms/sources.server.ts'
import { describeUnedited } from '~/features/terms/terms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isStillTag, moveQuestions } from './tags.queries.server.ts'

/** Questions per transaction: few, as their editors wait for its locks. */
const BATCH_SIZE = 200

/** The tags of questions as a source of terms. */
export const tagTerms: TermSource = {
	nouns: ['query', 'queries'],
	async align(termId) {
		await addTagsOfTerms()
		let changed = 0
		for (const { name, main } of await listMisspelt(termId)) {
			await db()
				.transaction()
				.execute((trx) => moveFollowers(trx, name, main))
			let moved = BATCH_SIZE
			while (moved === BATCH_SIZE) {
				moved = await db()
					.transaction()
					.execute((trx) => moveQuestions(trx, name, main, BATCH_SIZE))
				changed += moved
			}
		}
		await describeTerms(termId)
		return changed
	},
	async count({ keys, tag }) {
		const { rows } = await sql<{ questions: number }>`
			select coalesce(sum(question_count), 0)::int as questions from tags where term_key = any(${keys}) and name <> ${tag}`.execute(
			db(),
		)
		return rows[0]?.questions ?? 0
	},
	async countUses(keys) {
		const { rows } = await sql<{ questions: number }>`
			select coalesce(sum(question_count), 0)::int as questions from tags where term_key = any(${keys})`.execute(db())
		return rows[0]?.questions ?? 0
	},
	async listUnknown(limit) {
		const { rows } = await sql<UsedWord>`
			select name as word, question_count as uses from tags
			where question_count > 0 and not exists (
				select from term_spellings where key = tags.term_key and term_id is not null)
			order by question_count desc, name limit ${limit}`.execute(db())
		return rows
	},
}

/** Every term has a tag that can be followed, before the first question with it. */
async function addTagsOfTerms(): Promise<void> {
	await sql`
		insert into tags (name) select tag from vocabulary_terms t
		where not exists (select from tags where name = t.tag) order by tag on conflict do nothing`.execute(db())
}

/** Used tags that are spelled differently from those of their terms. */
async function listMisspelt(termId: number | null): Promise<{ name: string; main: string }[]> {
	const { rows } = await sql<{ name: string; main: string }>`
		select tags.name, t.tag as main from tags
		join term_spellings on key = tags.term_key join vocabulary_terms t on t.id = term_id
		where tags.name <> t.tag ${termId === null ? sql`` : sql`and t.id = ${termId}`}
			and (question_count > 0 or tags.description <> '' or exists (select from follows where tag_id = tags.id))
		order by tags.name`.execute(db())
	return rows
}

/** Moves the followers of one tag to another, and its description if that has none. */
async function moveFollowers(trx: Executor, name: string, main: string): Promise<void> {
	if (!(await isStillTag(trx, name, main))) return
	await sql`select from tags where name in (${name}, ${main}) order by name for no key update`.execute(trx)
	await sql`
		with gone as (
			delete from follows using tags where tags.id = follows.tag_id and tags.name = ${name} returning user_id, followed_at)
		insert into follows (user_id, tag_id, followed_at)
		select user_id, tags.id, followed_at from gone, tags where tags.name = ${main} on conflict do nothing`.execute(trx)
	await sql`
		with kept as (
			update tags kept set description = old.description from tags old
			where kept.name = ${main} and old.name = ${name} and kept.description = '' returning 1)
		update tags set description = '' where name = ${name} and exists (select from kept)`.execute(trx)
}

/** A description written before the tag became a term is moved to the term. */
async function describeTerms(termId: number | null): Promise<void> {
	const { rows } = await sql<{ id: number; tag_id: number; description: string }>`
		select t.id, tags.id as tag_id, tags.description from tags join vocabulary_terms t on t.tag = tags.name
		where tags.description <> '' ${termId === null ? sql`` : sql`and t.id = ${termId}`}`.execute(db())
	for (const { id, tag_id, description } of rows)
		await db()
			.transaction()
			.execute(async (trx) => {
				if (await describeUnedited(trx, id, description))
					await sql`update tags set description = '' where id = ${tag_id}`.execute(trx)
			})
}
