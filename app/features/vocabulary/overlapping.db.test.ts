import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { addProject } from '~/features/profile-editor/items.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { findTerm, loadTerms } from '~/features/terms/terms.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { actOnTerm } from './acts.server.ts'

/* Changes of terms while earlier ones are still respelling words, or members are saving some. */

useDatabase()

let ada: SignedIn
let moderator: SignedIn

beforeAll(async () => {
	ada = await makeMember('ada')
	moderator = await makeMember('mod', 'moderator')
})

const add = async (name: string) => (await actOnTerm(moderator, 'add', 0, { name })).id
const rename = (id: number, name: string) => () => actOnTerm(moderator, 'rename', id, { name })

async function wordsOf({ id }: SignedIn): Promise<{ skills: string[]; stack: string[] | null }> {
	const { rows } = await sql<{ skills: string[]; stack: string[] | null }>`
		select array(select name from profile_skills join skills on skills.id = skill_id where user_id = ${id}) as skills,
			(select project_tech_stack from projects where user_id = ${id} order by position desc limit 1) as stack`.execute(
		db(),
	)
	return rows[0] ?? { skills: [], stack: null }
}

test('a skill is spelled as its term was renamed last, while an earlier rename is still respelling', async () => {
	const id = await add('Kite Makng')
	await db()
		.transaction()
		.execute((trx) => setSkills(trx, ada.id, ['Kite Makng']))
	await queuedBehind(
		(trx) => sql`select from users where id = ${ada.id} for update`.execute(trx),
		[rename(id, 'Kite Makig'), rename(id, 'Kite Making')],
	)
	expect(await wordsOf(ada)).toMatchObject({ skills: ['Kite Making'] })
})

test('a question has the tag of the term that its tag was merged into last', async () => {
	const [kites, gliders] = [await add('Kites'), await add('Gliders')]
	const question = await makeQuestion(ada, { tags: 'kite-runs' })
	await queuedBehind(
		(trx) => sql`select from questions where id = ${question.id} for update`.execute(trx),
		[
			() => actOnTerm(moderator, 'join', 0, { word: 'kite-runs', into: 'kites' }),
			() => actOnTerm(moderator, 'merge', kites, { into: 'gliders' }),
		],
	)
	expect(findTerm('kite-runs')?.id).toBe(gliders)
	expect((await getQuestion(null, question.id)).tags).toEqual(['gliders'])
})

test('a project that is saved while a technology is renamed has the new name', async () => {
	const id = await add('Sail Makng')
	// Storing a project ends with the member's entry in the search.
	await queuedBehind<unknown>(
		(trx) => sql`select from member_search where user_id = ${ada.id} for update`.execute(trx),
		[
			() => addProject(ada, 'ada', { project_title: 'Sails', project_tech_stack: 'Sail Makng' }),
			rename(id, 'Sail Making'),
		],
	)
	expect(await wordsOf(ada)).toMatchObject({ stack: ['Sail Making'] })
})

test('evidence of a skill stays hidden while its term is renamed twice', async () => {
	const id = await add('Knot Tyng')
	await sql`insert into profiles (user_id) values (${ada.id}) on conflict do nothing`.execute(db())
	const hide = (name: string, executor: Executor = db()) =>
		sql`insert into hidden_evidence (user_id, name_key) values (${ada.id}, ${name})`.execute(executor)
	await hide('knot tyng')
	await queuedBehind((trx) => hide('knot tyig', trx), [rename(id, 'Knot Tyig'), rename(id, 'Knot Tying')])
	const { rows } = await sql`select name_key from hidden_evidence where user_id = ${ada.id}`.execute(db())
	expect(rows).toEqual([{ name_key: 'knot tying' }])
})

test('of two readings of the terms the one that began last counts, whichever ends last', async () => {
	const id = await add('Reef Knots')
	// The first reading has seen the rows, and waits while it returns them.
	await sql`create sequence readings`.execute(db())
	await sql`create function delay_first() returns boolean language plpgsql as $$ begin
		if nextval('readings') = 1 then perform pg_advisory_xact_lock(4711); end if;
		return true; end $$`.execute(db())
	await sql`create policy delayed on vocabulary_terms using (delay_first())`.execute(db())
	await sql`alter table vocabulary_terms enable row level security, force row level security`.execute(db())
	await queuedBehind(
		(trx) => sql`select pg_advisory_xact_lock(4711)`.execute(trx),
		[
			loadTerms,
			async () => {
				await sql`update vocabulary_terms set name = 'Reef Knot' where id = ${id}`.execute(db())
				await loadTerms()
			},
		],
	)
	await sql`alter table vocabulary_terms disable row level security`.execute(db())
	expect(findTerm('reef-knots')?.name).toBe('Reef Knot')
})
