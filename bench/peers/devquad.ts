// This site with generated or imported content, started for the measurement.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { type QuestionAddress, questionUrl } from '~/features/search/search.view.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { siteDatabase, startSite } from '../../tests/support/site-process.ts'
import { databaseTime, logReadersIn, processorTime } from '../page-cost.ts'
import { writeQuestions } from '../questions.ts'
import type { Page, Peer, PeerRequest } from './measure.ts'
import { distinctWords } from './nodebb.ts'

const secret = 'a secret that only this run knows of'
const questions = 20_000
const members = 5_000
/** Twice the average number of comments, for 100,000 in all. */
const mostComments = 10
/** Each member may write 60 times a minute. */
const commentsOfEach = 20

interface QuestionRow {
	id: number
	title: string
	path: string
	comment_count: number
}

/**
 * Fills an empty data directory, which takes minutes.
 * @param file questions to import, as for `npm run import`; undefined for generated ones
 */
export async function fillDevquad(dataDir: string, file?: string): Promise<void> {
	const source = file ?? join(dataDir, 'questions.jsonl')
	if (!file) await writeQuestions(source, questions, mostComments)
	runScript('scripts/import.ts', [source], dataDir)
	runScript('scripts/seed.ts', ['--members', String(members), '--yes'], dataDir)
}

/** Starts the site on a filled data directory, and collects the addresses to measure. */
export async function startDevquad(dataDir: string): Promise<Peer & { stop: () => Promise<unknown> }> {
	const site = await startSite({ DATA_DIR: dataDir, SEED: 'none', AUTH_SECRET: secret })
	try {
		const found = await withDatabase(dataDir, async (database) => {
			const cookies = await logReadersIn(database, site.url, secret)
			return { content: await contentOf(database), pages: await pagesFor(database, cookies) }
		})
		const time = () => processorTime(site.child.pid) + databaseTime(dataDir) || null
		return { name: 'DevQuad', url: site.url, ...found, processorTime: time, stop: () => site.stop() }
	} catch (error) {
		await site.stop()
		throw error
	}
}

async function withDatabase<Result>(dataDir: string, work: (database: pg.Client) => Promise<Result>): Promise<Result> {
	const database = new pg.Client(siteDatabase(dataDir, 'devquad_admin'))
	await database.connect()
	try {
		return await work(database)
	} finally {
		await database.end()
	}
}

function runScript(script: string, args: string[], dataDir: string): void {
	execFileSync(process.execPath, ['--import', './scripts/support/alias.mjs', script, ...args], {
		stdio: ['ignore', 'inherit', 'ignore'],
		env: { ...process.env, DATA_DIR: dataDir },
	})
}

async function contentOf(database: pg.Client): Promise<string> {
	const { rows } = await database.query(
		`select (select count(*) from users) as members, (select count(*) from questions) as questions, (select count(*) from comments) as comments`,
	)
	const [{ members, questions, comments }] = rows
	return `${members} members, ${questions} questions, ${comments} comments`
}

async function pagesFor(database: pg.Client, cookies: string[]): Promise<Peer['pages']> {
	const { rows: questions } = await database.query<QuestionAddress & { comment_count: number }>(
		`select q.id, q.title, comment_count, c.slug as category_slug, username
		from questions q join categories c on c.id = category_id join users u on u.id = author_id order by active_at desc, q.id desc limit 5000`,
	)
	const rows = questions.map((row) => ({ ...row, path: questionUrl(row) }))
	const [first] = rows
	const long = rows
		.filter((row) => row.comment_count >= 10)
		.sort((a, b) => Math.abs(20 - a.comment_count) - Math.abs(20 - b.comment_count))[0]
	const people = await database.query<{ username: string; name: string }>(
		`select username, name from users where username not like 'reader-%' order by id desc limit 1`,
	)
	const [person] = people.rows
	if (!first || !long || !person) throw new Error('200 questions, one of 10 comments or more, and a member are needed.')
	// A page, requested by the members in turn.
	const asMembers = (path: string, shows: string): Page => ({
		asks: cookies.map((cookie) => ({ path, headers: { cookie }, shows })),
	})
	const search = (words: string[], path: string): Page => ({
		once: true,
		asks: words.map((word, index) => ({
			path: `${path}${encodeURIComponent(word)}`,
			headers: { cookie: cookies[index % cookies.length] ?? '' },
			shows: word,
		})),
	})
	const words = distinctWords(rows)
	const named = encodeURIComponent(person.name)
	return {
		'visitors: list, cached': { asks: [{ path: '/forum', shows: first.title }] },
		// Readers with a flash cookie never get a cached page.
		'visitors: 200 different topics': {
			asks: rows.slice(0, 200).map(({ path, title }) => ({ path, headers: { cookie: 'flash=none' }, shows: title })),
		},
		'member: list, HTML': asMembers('/forum', first.title),
		'member: topic, HTML': asMembers(long.path, long.title),
		'member: profile, HTML': asMembers(`/find-dev/${person.username}`, person.name),
		'member: list, data': asMembers('/forum.data', first.title),
		'people search, HTML': asMembers(`/find-dev?q=${named}`, person.name),
		'people search, data': asMembers(`/find-dev.data?q=${named}`, person.name),
		'full-text search of distinct words, HTML': search(
			words.filter((_, index) => index % 2 === 0),
			'/forum?q=',
		),
		'full-text search of distinct words, data': search(
			words.filter((_, index) => index % 2 === 1),
			'/forum.data?q=',
		),
		'a comment by the API': { once: true, asks: await commentAsks(database, rows) },
	}
}

async function commentAsks(database: pg.Client, rows: QuestionRow[]): Promise<PeerRequest[]> {
	const readers = await database.query<{ id: number }>(
		`select id from users where username like 'reader-%' order by id`,
	)
	const tokens = readers.rows.map(() => `dq_${randomBytes(32).toString('base64url')}`)
	await database.query(
		`insert into access_tokens (user_id, name, token_hash, last_four, scopes, expires_at)
		select id, 'Benchmark', hash, '0000', '{read,write}', now() + interval '1 day' from unnest($1::int[], $2::text[]) as given (id, hash)`,
		[readers.rows.map(({ id }) => id), tokens.map(hashToken)],
	)
	return Array.from({ length: tokens.length * commentsOfEach }, (_, index) => ({
		path: `/api/v1/queries/${rows[index % rows.length]?.id}/comments`,
		headers: { authorization: `Bearer ${tokens[index % tokens.length]}` },
		body: { body: 'Measured by a benchmark, with enough words to be taken for an answer.', parentId: null },
		shows: 'Measured by a benchmark',
	}))
}
