// npm run bench:messages [-- OWN [OTHERS]]: the time of a member's search in 100,000 messages, among 400,000 of others.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collectMessageWords, searchOwnMessages } from '~/features/inbox/search/search.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { measure } from './measure.ts'

const own = Number(process.argv[2] ?? 100_000)
const others = Number(process.argv[3] ?? 400_000)
const vocabulary = 20_000

let seed = 7
/** A seeded random generator (Lehmer). */
function chance(): number {
	seed = (seed * 48_271) % 2_147_483_647
	return seed / 2_147_483_647
}

/** Generated words, most frequent first, of syllables, so that many are spelled alike, as in a language. */
const syllables = [
	'ba',
	'den',
	'fo',
	'gri',
	'lan',
	'mu',
	'nes',
	'po',
	'ret',
	'sa',
	'tor',
	'vi',
	'ker',
	'lo',
	'chi',
	'dra',
]
const words = Array.from({ length: vocabulary }, (_, index) => {
	let [rest, word] = [index + 300, '']
	for (; rest > 0; rest = Math.floor(rest / syllables.length)) word += syllables[rest % syllables.length]
	return word
})
/** Zipf's law: the most frequent word is in every second message, most are in a few. */
const anyWord = () => words[Math.floor(vocabulary ** chance()) - 1] ?? ''

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-messages-'))
const postgres = await startEmbeddedPostgres(dataDir, ['shared_buffers=512MB', 'max_wal_size=4GB'])
try {
	openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS })
	await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
	await load()
	await pool().query('vacuum analyze messages')
	await closeDatabase()
	openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS, max: 1 })
	await report()
} finally {
	await closeDatabase()
	await postgres.stop()
	rmSync(dataDir, { recursive: true, force: true })
}

/** Member 1 has conversations with 40 others, who all write to each other. */
async function load(): Promise<void> {
	await pool().query(`insert into users (username, name, email) select 'member' || n, 'Member ' || n, 'member' || n || '@campus.example'
		from generate_series(1, 60) as n`)
	await pool().query(`insert into conversations (lower_id, higher_id, started_by, version)
		select one.id, other.id, one.id, 1000000 from users one join users other on other.id > one.id
		where other.id - one.id <= 40`)
	const { rows } = await pool().query('select id, lower_id, higher_id from conversations order by id')
	const mine = rows.filter(({ lower_id }) => lower_id === rows[0].lower_id)
	const rest = rows.filter(({ lower_id }) => lower_id !== rows[0].lower_id)
	for (let written = 0; written < own + others; written += 5_000) {
		const batch = Array.from({ length: 5_000 }, (_, index) => {
			const from = index % ((own + others) / own) === 0 ? mine : rest
			const { id, lower_id, higher_id } = from[Math.floor(chance() * from.length)]
			const pair = chance() < 0.5 ? [lower_id, higher_id] : [higher_id, lower_id]
			const body = Array.from({ length: 4 + Math.floor(chance() * 16) }, anyWord).join(' ')
			return { id, sender: pair[0], recipient: pair[1], body }
		})
		await pool().query(
			`insert into messages (conversation_id, sender_id, recipient_id, client_id, body, html, version)
			select conversation, sender, recipient, gen_random_uuid(), body, '<p>' || body || '</p>', 1
			from unnest($1::int[], $2::int[], $3::int[], $4::text[]) as new (conversation, sender, recipient, body)`,
			[
				batch.map((one) => one.id),
				batch.map((one) => one.sender),
				batch.map((one) => one.recipient),
				batch.map((one) => one.body),
			],
		)
	}
}

async function report(): Promise<void> {
	const { rows } = await pool().query('select min(id)::int as id from users')
	const viewer = { id: rows[0].id, username: 'member1', name: 'Member 1', role: 'member' } as SignedIn
	const from = (first: number, last: number) => words[first + Math.floor(chance() * (last - first))] ?? ''
	const mistyped = (word: string) => {
		const at = 1 + Math.floor(chance() * (word.length - 2))
		return word.slice(0, at) + word.slice(at + 1)
	}
	const kinds: [string, () => string][] = [
		['a word of every message but some', () => from(0, 10)],
		['a word of every hundredth', () => from(50, 200)],
		['a rare word', () => from(5_000, vocabulary)],
		['the beginning of a word', () => from(0, vocabulary).slice(0, 3)],
		['three words', () => [from(0, 50), from(0, 500), from(0, 500)].join(' ')],
		['a phrase', () => `"${from(0, 50)} ${from(0, 50)}"`],
		['a typing error', () => mistyped(from(2_000, vocabulary))],
		['nothing like it', () => `xq${from(0, vocabulary)}zz`],
	]
	const began = performance.now()
	await collectMessageWords({ userId: viewer.id })
	const learned = performance.now() - began
	const lines: string[] = []
	for (const [name, search] of kinds) {
		const {
			p50,
			p99,
			work,
			statements,
			rows: hits,
			plan,
		} = await measure(async () => (await searchOwnMessages(viewer, search())).hits.length, 200)
		const busy = work ? `${work.p50.toFixed(1)} | ${work.p99.toFixed(1)}` : ' | '
		lines.push(`| ${name} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${busy} | ${statements} | ${hits.toFixed(1)} |`)
		if (process.env.PLANS) process.stdout.write(`\n${name}\n${plan}\n`)
	}
	process.stdout.write(`
${own.toLocaleString('en')} messages of one member among ${(own + others).toLocaleString('en')}, ${cpus().length} cores, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. Milliseconds in
the database; "work" is the processor time of its process.

| search | p50 | p99 | work p50 | work p99 | statements | hits |
|---|---|---|---|---|---|---|
${lines.join('\n')}

Gathering the words of all of them, once and in the background: ${Math.round(learned)} ms.
`)
}
