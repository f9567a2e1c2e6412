import { pool } from '~/platform/db/db.server.ts'

/** Each counts rows of the seeded forum that differ from what triggers and importer derive from the same texts. */
const differences: [what: string, statement: string][] = [
	['search documents', 'select count(*) from questions where search <> whole_document(questions)'],
	[
		'comment counts',
		'select count(*) from questions where comment_count <> (select count(*) from comments where question_id = questions.id)',
	],
	[
		'solved',
		'select count(*) from questions where solved <> exists (select from comments where question_id = questions.id and is_solution)',
	],
	[
		'paths of comments',
		`select count(*) from comments c left join comments p on p.id = c.parent_id
		where c.path <> coalesce(p.path, '{}') || c.id or p.question_id <> c.question_id or p.created_at > c.created_at`,
	],
	[
		'tags',
		`select count(*) from (select id, name from questions, unnest(tags) as name
			except select question_id, name from question_tags join tags on tags.id = tag_id) missing`,
	],
	[
		'what stands beside a tag',
		`select count(*) from question_tags t join questions q on q.id = t.question_id
		where (t.created_at, t.active_at, t.unanswered, t.solved) is distinct from (q.created_at, q.active_at, q.comment_count = 0, q.solved)`,
	],
	[
		'counts of tags',
		'select count(*) from tags where question_count <> (select count(*) from question_tags where tag_id = tags.id)',
	],
	[
		'counts of categories',
		'select count(*) from categories where question_count <> (select count(*) from questions where category_id = categories.id)',
	],
]

/** Compares the words for “did you mean” with those that the trigger's function derives, in a transaction that is rolled back. */
async function compareWords(): Promise<number> {
	const client = await pool().connect()
	try {
		await client.query(`begin;
			create temporary table words on commit drop as select * from search_words;
			create temporary table spellings on commit drop as select * from search_spellings;
			delete from search_words; delete from search_spellings`)
		await client.query('select learn_words(title, tags) from questions')
		const { rows } = await client.query<{ count: string }>(`
			select (select count(*) from (select * from search_words except select * from words) more)
				+ (select count(*) from (select * from words except select * from search_words) less)
				+ (select count(*) from (select * from search_spellings except select * from spellings) more)
				+ (select count(*) from (select * from spellings except select * from search_spellings) less) as count`)
		return Number(rows[0]?.count)
	} finally {
		await client.query('rollback')
		client.release()
	}
}

/** The differences of a seeded forum from one that was written question by question; empty without any. */
export async function findDifferences(): Promise<string[]> {
	const found: string[] = []
	for (const [what, statement] of differences) {
		const { rows } = await pool().query<{ count: string }>(statement)
		if (rows[0]?.count !== '0') found.push(`${what}: ${rows[0]?.count}`)
	}
	const words = await compareWords()
	return words === 0 ? found : [...found, `words of titles: ${words}`]
}
