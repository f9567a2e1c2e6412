import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { addProject } from '~/features/profile-editor/items.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { getTag, suggestTags } from '~/features/tags/tags.server.ts'
import { previewStartSet } from '~/features/terms/preview.server.ts'
import { alignTerms, findTerm, installStartSet, loadTerms, startTerms } from '~/features/terms/terms.server.ts'
import { termKey } from '~/features/terms/terms.view.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { Bus } from '~/platform/bus/bus.ts'
import { postgresTransport } from '~/platform/bus/postgres-transport.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { actOnTerm, previewAct } from './acts.server.ts'
import { getTerm, listNewWords, listTerms } from './vocabulary.server.ts'
import type { TermAct } from './vocabulary.view.ts'

useDatabase()

let ada: SignedIn
let ben: SignedIn
let moderator: SignedIn

beforeAll(async () => {
	ada = await makeMember('ada')
	ben = await makeMember('ben')
	moderator = await makeMember('mod', 'moderator')
})

async function saveSkills(member: SignedIn, ...skills: string[]): Promise<void> {
	await db()
		.transaction()
		.execute((trx) => setSkills(trx, member.id, skills))
}

async function skillsOf({ id }: SignedIn): Promise<string[]> {
	const { rows } = await sql<{ name: string }>`
		select name from profile_skills join skills on skills.id = skill_id where user_id = ${id} order by position`.execute(
		db(),
	)
	return rows.map(({ name }) => name)
}

async function stackOf({ id }: SignedIn): Promise<string[]> {
	const { rows } = await sql<{ stack: string[] }>`
		select project_tech_stack as stack from projects where user_id = ${id} order by position desc limit 1`.execute(db())
	return rows[0]?.stack ?? []
}

const idOf = (spelling: string): number => findTerm(spelling)?.id ?? 0
const add = async (name: string) => (await actOnTerm(moderator, 'add', 0, { name })).id

/** Asserts that all words are spelled as their terms, and that all counters match. */
async function expectInLine(): Promise<void> {
	const { rows } = await sql`
		select 'skill' as what, s.name from skills s join term_spellings on key = s.term_key join vocabulary_terms t on t.id = term_id
			where s.name <> t.name
		union all select 'tag', g.name from tags g join term_spellings on key = g.term_key join vocabulary_terms t on t.id = term_id
			where g.name <> t.tag and question_count > 0
		union all select 'project', project_title from projects where project_tech_stack <> term_names(project_tech_stack)
		union all select 'members', s.name from skills s
			where member_count <> (select count(*) from profile_skills where skill_id = s.id)
		union all select 'questions', g.name from tags g
			where question_count <> (select count(*) from question_tags where tag_id = g.id)
		union all select 'unaligned', name from vocabulary_terms where unaligned
		union all select 'found by', key from terms where kind = 'skill' and members <> (
			select count(*) from member_search where member_search.terms @> array[terms.id])`.execute(db())
	expect(rows).toEqual([])
}

test('the database and the application compare spellings in the same way', async () => {
	const spellings = [
		'Node.js',
		' node-js',
		'C++',
		'c#',
		'.NET Core',
		'...',
		'.',
		'CI/CD',
		'Ｇｏ',
		'A_B',
		'ÉCOLE',
		'-',
		'x  y',
	]
	const { rows } = await sql<{ key: string }>`
		select term_key(word) as key from unnest(${spellings}::text[]) with ordinality as given (word, place) order by place`.execute(
		db(),
	)
	expect(rows.map(({ key }) => key)).toEqual(spellings.map(termKey))
	const { rows: wrong } = await sql`
		select key, spelling from term_spellings where key <> term_key(spelling)
		union all select tag, name from vocabulary_terms t
			where not exists (select from term_spellings where term_id = t.id and key = term_key(t.name))
				or not exists (select from term_spellings where term_id = t.id and key = term_key(t.tag))`.execute(db())
	expect(wrong).toEqual([])
})

test('stores any spelling as its term: skills, technologies, tags', async () => {
	await saveSkills(ada, 'golang', 'k8s', 'Kite flying', 'REACTJS', 'React.js', 'c sharp')
	expect(await skillsOf(ada)).toEqual(['Go', 'Kubernetes', 'Kite flying', 'React', 'C#'])
	await addProject(ada, 'ada', { project_title: 'A project', project_tech_stack: 'ts, TypeScript, cpp, Wood' })
	expect(await stackOf(ada)).toEqual(['TypeScript', 'C++', 'Wood'])
	const { id } = await makeQuestion(ada, { tags: 'golang, go, k8s, wood' })
	expect((await getQuestion(null, id)).tags).toEqual(['go', 'kubernetes', 'wood'])
	expect(await getTag(null, 'reactjs')).toMatchObject({ name: 'react', parents: ['javascript'] })
	expect((await suggestTags('golang', 5))[0]).toMatchObject({ name: 'go', count: 1 })
	await expectInLine()
})

test('a rename respells all words, keeps the tag, and redirects the old name', async () => {
	const id = await add('Plumbing Kit')
	await saveSkills(ben, 'plumbing kit')
	await addProject(ben, 'ben', { project_title: 'Pipes', project_tech_stack: 'Plumbing-Kit, Wood' })
	const question = await makeQuestion(ben, { tags: 'plumbing-kit' })
	expect(await previewAct(moderator, 'rename', id, { name: 'PlumberKit' })).toMatchObject({
		term: { name: 'PlumberKit', tag: 'plumbing-kit' },
		changes: ['1 profile', '1 project'],
	})
	expect(await skillsOf(ben)).toEqual(['Plumbing Kit'])
	await actOnTerm(moderator, 'rename', id, { name: 'PlumberKit' })
	expect([await skillsOf(ben), await stackOf(ben)]).toEqual([['PlumberKit'], ['PlumberKit', 'Wood']])
	expect((await getQuestion(null, question.id)).tags).toEqual(['plumbing-kit'])
	await actOnTerm(moderator, 'rename', id, { name: 'plumberkit' })
	expect(await skillsOf(ben)).toEqual(['plumberkit'])
	await saveSkills(ada, 'Plumbing Kit')
	expect(await skillsOf(ada)).toEqual(['plumberkit'])
	await expectInLine()
})

test('adding a spelling respells existing words; removing it makes it a word of its own', async () => {
	const id = await add('Woodwork')
	await saveSkills(ada, 'Carpentry', 'carpentry kit')
	await saveSkills(ben, 'Woodwork', 'car-pentry')
	const question = await makeQuestion(ada, { tags: 'carpentry, woodwork' })
	expect((await previewAct(moderator, 'add-alias', id, { alias: 'carpentry' })).changes).toEqual([
		'2 profiles',
		'1 query',
	])
	await actOnTerm(moderator, 'add-alias', id, { alias: 'carpentry' })
	expect([await skillsOf(ada), await skillsOf(ben)]).toEqual([['Woodwork', 'carpentry kit'], ['Woodwork']])
	expect((await getQuestion(null, question.id)).tags).toEqual(['woodwork'])
	await expectInLine()
	expect((await previewAct(moderator, 'remove-alias', id, { alias: 'carpentry' })).changes).toEqual([])
	await actOnTerm(moderator, 'remove-alias', id, { alias: 'CARPENTRY' })
	await saveSkills(ada, 'Carpentry')
	expect(await skillsOf(ada)).toEqual(['Carpentry'])
	expect((await listNewWords(moderator)).map(({ word }) => word)).toContain('Carpentry')
})

test('a merge moves spellings, words, parents and children, and redirects the other tag', async () => {
	const [kept, gone, below] = [await add('Sewing'), await add('Needlework'), await add('Embroidery')]
	await actOnTerm(moderator, 'describe', gone, { description: 'With a needle.', parents: 'Fine Arts' })
	await actOnTerm(moderator, 'describe', below, { description: '', parents: 'Needlework' })
	await actOnTerm(moderator, 'add-alias', gone, { alias: 'stitching' })
	await saveSkills(ada, 'Knots', 'stitching')
	await saveSkills(ben, 'Needlework', 'Sewing')
	const question = await makeQuestion(ben, { tags: 'needlework' })
	expect((await previewAct(moderator, 'merge', gone, { into: 'sewing' })).changes).toEqual(['2 profiles', '1 query'])
	expect((await actOnTerm(moderator, 'merge', gone, { into: 'sewing' })).id).toBe(kept)
	expect([await skillsOf(ada), await skillsOf(ben)]).toEqual([['Knots', 'Sewing'], ['Sewing']])
	expect((await getQuestion(null, question.id)).tags).toEqual(['sewing'])
	expect((await getTag(null, 'needlework')).name).toBe('sewing')
	expect(await getTerm(moderator, kept)).toMatchObject({
		description: 'With a needle.',
		aliases: ['needlework', 'stitching'],
		parents: [{ name: 'Fine Arts' }],
		children: [{ name: 'Embroidery' }],
	})
	await expectInLine()
})

test('lists new words from all sources by use, with similar terms', async () => {
	await saveSkills(ada, 'Pythn', 'Whittling')
	await saveSkills(ben, 'whittling')
	await makeQuestion(ben, { tags: 'whittling' })
	const words = await listNewWords(moderator)
	expect(words.find(({ word }) => word === 'Whittling')).toEqual({ word: 'Whittling', uses: 3, similar: null })
	expect(words.find(({ word }) => word === 'Pythn')?.similar?.name).toBe('Python')
	await actOnTerm(moderator, 'join', 0, { word: 'pythn', into: 'Python' })
	expect(await skillsOf(ada)).toEqual(['Python', 'Whittling'])
	expect((await listTerms(moderator, { q: 'pythn', cursor: null })).rows[0]?.name).toBe('Python')
})

test('pages the list, most used first', async () => {
	const names: string[] = []
	for (let cursor: string | null = null, pages = 0; pages < 3; pages += 1) {
		const page = await listTerms(moderator, { q: '', cursor })
		names.push(...page.rows.map(({ name }) => name))
		cursor = page.next
	}
	expect(new Set(names).size).toBe(150)
	expect(names.slice(0, 12)).toContain('Python')
})

describe('permissions and validation', () => {
	const acts: [TermAct, () => number, Record<string, string>][] = [
		['add', () => 0, { name: 'Something new' }],
		['rename', () => idOf('go'), { name: 'Gopher' }],
		['add-alias', () => idOf('go'), { alias: 'gopher-lang' }],
		['remove-alias', () => idOf('go'), { alias: 'golang' }],
		['merge', () => idOf('go'), { into: 'rust' }],
		['join', () => 0, { word: 'gopher', into: 'go' }],
		['describe', () => idOf('go'), { description: 'x', parents: '' }],
	]
	const viewers: [string, () => Viewer][] = [
		['a visitor', () => null],
		['a member', () => ben],
		['a moderator who is none any more', () => ({ ...ben, role: 'moderator' })],
	]

	test.each(viewers.flatMap(([who, viewer]) => acts.map((act) => [who, act[0], viewer, act] as const)))(
		'%s: %s',
		async (_who, _name, viewer, [act, id, input]) => {
			const before = await everything()
			await expect(actOnTerm(viewer(), act, id(), input)).rejects.toMatchObject({ status: 403 })
			await expect(previewAct(viewer(), act, id(), input)).rejects.toMatchObject({ status: 403 })
			expect(await everything()).toEqual(before)
		},
	)

	test.each<[string, TermAct, () => number, Record<string, string>, number]>([
		['a name of another term', 'rename', () => idOf('go'), { name: 'rustlang' }, 422],
		['an empty name', 'rename', () => idOf('go'), { name: ' ' }, 422],
		['a name of marks', 'rename', () => idOf('go'), { name: '!?' }, 422],
		['a long name', 'add', () => 0, { name: 'x'.repeat(36) }, 422],
		['a known name', 'add', () => 0, { name: 'K 8 s' }, 422],
		['NUL', 'add', () => 0, { name: 'a\u0000b' }, 422],
		['a spelling of another term', 'add-alias', () => idOf('go'), { alias: 'Rust' }, 422],
		['two words at once', 'add-alias', () => idOf('go'), { alias: 'a, b' }, 422],
		['no spelling', 'add-alias', () => idOf('go'), {}, 422],
		['its own name', 'remove-alias', () => idOf('go'), { alias: 'Go' }, 404],
		['a spelling of no term', 'remove-alias', () => idOf('go'), { alias: 'nothing' }, 404],
		['a merge into itself', 'merge', () => idOf('go'), { into: 'golang' }, 422],
		['a merge into nothing', 'merge', () => idOf('go'), { into: 'no such term' }, 422],
		['an unknown term', 'merge', () => 2_000_000_000, { into: 'go' }, 404],
		['a circle of synonyms', 'join', () => 0, { word: 'javascript', into: 'js' }, 409],
		['a new term of marks', 'join', () => 0, { word: 'gopher', into: '!?' }, 422],
		['a new term with a long tag', 'join', () => 0, { word: 'gopher', into: 'x'.repeat(36) }, 422],
		['an unknown parent', 'describe', () => idOf('go'), { description: '', parents: 'No such term' }, 422],
		['itself as a parent', 'describe', () => idOf('go'), { description: '', parents: 'golang' }, 422],
		['a circle of parents', 'describe', () => idOf('js'), { description: '', parents: 'React' }, 422],
		['a long description', 'describe', () => idOf('go'), { description: 'x'.repeat(501) }, 422],
	])('%s changes nothing', async (_what, act, id, input, status) => {
		const before = await everything()
		await expect(previewAct(moderator, act, id(), input)).rejects.toMatchObject({ status })
		await expect(actOnTerm(moderator, act, id(), input)).rejects.toMatchObject({ status })
		expect(await everything()).toEqual(before)
	})

	test('a term to be added that is a spelling of another one is refused with its name', async () => {
		const adding = actOnTerm(moderator, 'add', 0, { name: 'K 8 s' })
		await expect(adding).rejects.toThrow('“K 8 s” is a spelling of Kubernetes already.')
	})

	test('only moderators see the lists', async () => {
		for (const viewer of [null, ben]) {
			await expect(listTerms(viewer, { q: '', cursor: null })).rejects.toMatchObject({ status: 403 })
			await expect(listNewWords(viewer)).rejects.toMatchObject({ status: 403 })
			await expect(getTerm(viewer, idOf('go'))).rejects.toMatchObject({ status: 403 })
		}
		await expect(getTerm(moderator, 2_000_000_000)).rejects.toMatchObject({ status: 404 })
		await expect(listTerms(moderator, { q: '', cursor: 'x' })).rejects.toMatchObject({ status: 422 })
	})
})

test('reloads the terms when another process announces a change', async () => {
	const stop = await startTerms()
	await sql`update vocabulary_terms set name = 'Rust Lang' where tag = 'rust'`.execute(db())
	expect(findTerm('rust')?.name).toBe('Rust')
	await new Bus(postgresTransport()).publish('devquad_terms', 'changed')
	await eventually(() => expect(findTerm('rust')?.name).toBe('Rust Lang'))
	await stop()
	await sql`update vocabulary_terms set name = 'Rust' where tag = 'rust'`.execute(db())
	await loadTerms()
})

test('leaves thousands of changes to a job, and interrupted jobs to the hourly check', async () => {
	const id = await add('Crowd')
	await saveSkills(ada, 'Crowdy')
	await sql`update skills set member_count = 3000 where name = 'Crowdy'`.execute(db())
	await actOnTerm(moderator, 'add-alias', id, { alias: 'crowdy' })
	expect(await skillsOf(ada)).toEqual(['Crowdy'])
	const { rows } = await sql`select 1 from graphile_worker.jobs where task_identifier = 'align-term'`.execute(db())
	expect(rows).toHaveLength(1)
	await sql`update skills set member_count = 1 where name = 'Crowdy'`.execute(db())
	await alignTerms()
	expect(await skillsOf(ada)).toEqual(['Crowd'])
	await expectInLine()
})

test('a term whose words cannot be respelled does not block others', async () => {
	const [broken, other] = [await add('Brokenness'), await add('Soundness')]
	await saveSkills(ada, 'Soundly')
	await sql`update vocabulary_terms set unaligned = id = any(${[broken, other]}::int[])`.execute(db())
	await sql`insert into term_spellings (key, spelling, term_id) values ('soundly', 'Soundly', ${other})`.execute(db())
	const condition = sql.raw(`check (id <> ${broken} or unaligned) not valid`)
	await sql`alter table vocabulary_terms add constraint broken ${condition}`.execute(db())
	await expect(alignTerms()).rejects.toThrow('broken')
	await sql`alter table vocabulary_terms drop constraint broken`.execute(db())
	expect(await skillsOf(ada)).toEqual(['Soundness'])
	await alignTerms()
	await expectInLine()
})

test('logs each action once', async () => {
	const { rows: before } = await sql<{ count: number }>`select count(*)::int as count from moderation_log`.execute(db())
	const id = await add('Log Keeping')
	await previewAct(moderator, 'add-alias', id, { alias: 'logkeeping 2' })
	await actOnTerm(moderator, 'add-alias', id, { alias: 'logkeeping 2' })
	const { rows } = await sql<{ act: string; title: string; note: string }>`
		select act, facts->>'title' as title, facts->>'note' as note from moderation_log
		order by id offset ${before[0]?.count ?? 0}`.execute(db())
	expect(rows).toEqual([
		{ act: 'add to the terms', title: 'Log Keeping', note: '' },
		{ act: 'add alias', title: 'Log Keeping', note: 'logkeeping 2' },
	])
})

test('a new start set changes only unedited terms; the preview lists the effect on existing words', async () => {
	await actOnTerm(moderator, 'rename', idOf('erlang'), { name: 'Erlang/OTP' })
	await actOnTerm(moderator, 'remove-alias', idOf('go'), { alias: 'golang' })
	await saveSkills(ada, 'Whittling', 'Go')
	await saveSkills(ben, 'Woodwork')
	// As stored by an earlier version.
	await sql`update skills set name = 'golang prog', name_key = 'golang prog' where name_key = 'go'`.execute(db())
	await sql`update skills set name = 'Erlang', name_key = 'erlang' where name_key = 'erlang/otp'`.execute(db())
	await sql`insert into skills (name, name_key) values ('go programming', 'go programming')`.execute(db())
	await sql`update profile_skills set skill_id = (select id from skills where name = 'go programming')
		where skill_id = (select id from skills where name = 'golang prog')`.execute(db())
	await sql`update skills set member_count = (select count(*) from profile_skills where skill_id = skills.id)`.execute(
		db(),
	)
	await sql`update vocabulary_terms set description = 'Old.' where tag in ('rust', 'erlang')`.execute(db())
	await sql`update start_sets set hash = 'another'`.execute(db())
	const [profiles] = await previewStartSet()
	expect(profiles?.renames).toEqual([{ word: 'go programming', name: 'Go', uses: 1 }])
	expect(await installStartSet()).toBe(1)
	expect(await skillsOf(ada)).toEqual(['Whittling', 'Go'])
	expect(await getTerm(moderator, idOf('rust'))).toMatchObject({ description: 'Programming language.' })
	expect(await getTerm(moderator, idOf('erlang'))).toMatchObject({ name: 'Erlang/OTP', description: 'Old.' })
	expect((await getTerm(moderator, idOf('go'))).aliases).not.toContain('golang')
	expect(await installStartSet()).toBe(0)
	await alignTerms()
	await expectInLine()
})

async function everything(): Promise<unknown> {
	const names = ['vocabulary_terms', 'term_spellings', 'term_parents', 'skills', 'tags', 'moderation_log']
	const rows = names.map((name) =>
		sql`select md5(string_agg(t::text, '|' order by t::text)) as hash from ${sql.table(name)} t`.execute(db()),
	)
	return (await Promise.all(rows)).map((result) => result.rows)
}
