// Makes the fixture of tests/process/upgrade.db.test.ts from an earlier commit: a site with the demo content, 7,000 imported
// questions and members who used every feature, as a dump, with what readers see of it.
//
//   git worktree add ../earlier COMMIT && (cd ../earlier && npm ci && npx react-router build)
//   createdb upgrade
//   node scripts/run.mjs scripts/make-upgrade-fixture.ts ../earlier postgresql://user@localhost/upgrade
//
// The database must be empty, and `pg_dump` of its version be found on the PATH. When forms or operations of the API are
// called differently in that commit than in this one, adapt tests/support/upgrade/life.ts temporarily.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { readDemo } from '~/features/demo/demo.server.ts'
import { startSite } from '../tests/support/site-process.ts'
import { storeFixture, vocabularyOf } from '../tests/support/upgrade/fixture.ts'
import { createUpgradeData, Member } from '../tests/support/upgrade/life.ts'
import { logInReaders, placesOf, type Reading, readAddress } from '../tests/support/upgrade/readings.ts'

const QUESTIONS = 7_000
const MAX_DUMP_BYTES = 1_000_000_000
const FIRST_ASKED = Date.UTC(2025, 0, 1)
const HOUR_MS = 3_600_000

const [checkout, DATABASE_URL] = process.argv.slice(2)
if (!checkout || !DATABASE_URL) throw new Error('Usage: make-upgrade-fixture.ts CHECKOUT DATABASE_URL')
const folder = resolve(process.env.INIT_CWD ?? '.', checkout)
const dataDir = mkdtempSync(join(tmpdir(), 'devquad-upgrade-'))
const env = {
	DATA_DIR: dataDir,
	DATABASE_URL,
	AUTH_SECRET: 'a secret that only these tests know of',
	PAGE_CACHE_MB: '0',
}

try {
	const life = await fill()
	const dumpedAt = new Date().toISOString()
	const dump = dumpDatabase()
	const commit = execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim()
	const readings = await readAll(life, vocabularyOf(dump))
	storeFixture({ commit, dumpedAt, people: life.people, readings, files: listFiles(), dump })
	process.stdout.write(`${readings.length} readings, ${dump.length} characters of SQL.\n`)
} finally {
	rmSync(dataDir, { recursive: true, force: true })
}

/** Starts the site with its demo content, imports questions and simulates members. */
async function fill() {
	const site = await startSite(env, folder)
	try {
		const file = join(dataDir, 'questions.jsonl')
		writeFileSync(file, await writeQuestions())
		const command = ['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file]
		execFileSync(process.execPath, command, { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' })
		return await createUpgradeData(site.url, demoAccounts())
	} finally {
		await site.stop()
	}
}

/** An import file of the demo's questions, repeated with other titles, authors and answers, so that the dump compresses well. */
async function writeQuestions(): Promise<string> {
	const { questions } = await readDemo()
	const lines = Array.from({ length: QUESTIONS }, (_, number) => {
		const { question } = questions[number % questions.length] ?? {}
		const asked = FIRST_ASKED + number * HOUR_MS
		const text = (key: string, body: string, after: number) => ({
			...{ id: `${key}${number}`, body, author: `author${(number * 7 + after) % 500}`, score: (number + after) % 9 },
			created: new Date(asked + after * HOUR_MS).toISOString(),
		})
		const origin = { source_url: `https://questions.example/${number}`, licence: 'CC BY-SA 4.0' }
		const answers = [...(question?.comments ?? [])].slice(0, number % 3).map(({ body }, index) => ({
			...text(`a${index}-`, body, index + 1),
			accepted: index === 0 && number % 2 === 0,
			comments: number % 10 === 0 ? [text(`c${index}-`, 'Thank you. Your phone is set up correctly.', index + 2)] : [],
			...origin,
		}))
		const { title = '', body = '', tags = [] } = question ?? {}
		return { ...text('q', body, 0), title: `${title} (${number})`, tags, source: 'earlier', ...origin, answers }
	})
	return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function demoAccounts() {
	const accounts = readFileSync(join(dataDir, 'demo-account.txt'), 'utf8')
		.trim()
		.split('\n')
		.map((line) => line.split(' '))
		.map(([email = '', password = '']) => ({ email, password }))
	const [member, moderator] = accounts
	if (!member || !moderator) throw new Error('The demo content has no accounts.')
	return { member, moderator }
}

/** Dumps plain SQL that any client can run: without psql commands, owners and permissions. */
function dumpDatabase(): string {
	const options = [
		'--inserts',
		'--rows-per-insert=500',
		'--no-owner',
		'--no-acl',
		'--no-comments',
		`--dbname=${DATABASE_URL}`,
	]
	const dump = execFileSync('pg_dump', options, { encoding: 'utf8', maxBuffer: MAX_DUMP_BYTES })
	return dump.replace(/^(\\|--).*\n/gm, '')
}

async function readAll(life: Awaited<ReturnType<typeof fill>>, vocabulary: Set<string>): Promise<Reading[]> {
	const site = await startSite(env, folder)
	try {
		const members = await logInReaders(life.people, (account) => new Member(site.url, account).logIn())
		const visitor = new Member(site.url, { email: '', password: '' })
		const readings: Reading[] = []
		for (const place of placesOf(life)) readings.push(await readAddress({ ...members, visitor }, place, vocabulary))
		return readings
	} finally {
		await site.stop()
	}
}

function listFiles(): Record<string, string> {
	const media = join(dataDir, 'media')
	const names = readdirSync(media, { recursive: true, encoding: 'utf8' }).filter((name) =>
		statSync(join(media, name)).isFile(),
	)
	return Object.fromEntries(names.map((name) => [relative('.', name), readFileSync(join(media, name), 'base64')]))
}
