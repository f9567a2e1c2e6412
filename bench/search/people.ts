import { readFileSync } from 'node:fs'
import { type GeneratedMember, seededRandom } from '~/features/demo/people/people.ts'
import {
	analyzeMemberTables,
	indexMembers,
	insertPeople,
	skipIndexTriggers,
} from '~/features/demo/people/seed.queries.server.ts'
import { NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/directory.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, pool } from '~/platform/db/db.server.ts'
import { saveResult } from '../results.ts'
import type { KnownSearch } from './known-people.ts'

/** A member counts as found among the first five. */
const READ = 5
const batch = 1_000

/** The recall of one kind of search within the first five results. */
export interface PeopleResult {
	way: string
	searches: number
	recall: number
	/** Mean processor milliseconds per search: of PostgreSQL, where the system reports it, and of Node. */
	database: number | null
	node: number
}

interface Judged {
	/** The generated member with this number; deterministic. */
	person: (number: number) => GeneratedMember
	ways: Readonly<Record<string, (person: GeneratedMember, random: () => number) => KnownSearch | null>>
	/** Searches of each kind. */
	count: number
	/** Selects the sampled searches. */
	seed?: number
	/** Restricts the kinds to those whose name contains this. */
	only?: string
	/** Called for each search with incomplete recall. */
	onMiss?: (way: string, search: string, found: string) => void
}

/** Creates the generated community and searches it. */
export async function evaluatePeople(
	size: number,
	{ person, ways, count, seed = 0, only = '', onMiss }: Judged,
): Promise<PeopleResult[]> {
	const people = Array.from({ length: size }, (_, index) => person(index + 1))
	const { rows: existing } = await pool().query('select from member_search limit 1')
	if (existing.length === 0) await addPeople(people)
	const byUsername = new Map(people.map((person) => [person.username, person]))
	const viewer: SignedIn = { id: 2_147_483_647, username: 'reader', name: 'Reader', image: null, role: 'member' }
	const results: PeopleResult[] = []
	for (const [way, search] of Object.entries(ways)) {
		if (!way.includes(only)) continue
		const random = seededRandom(seed + way.length)
		const sampled = Array.from({ length: count * 4 }, () =>
			search(people[Math.floor(random() * size)] ?? person(1), random),
		)
		const selected = sampled.filter((one) => one !== null).slice(0, count)
		const searches = selected.length
		const answers: string[][] = []
		const before = { database: await databaseTime(), node: process.cpuUsage() }
		for (const { q } of selected) {
			const { page } = await listCommunity({ ...NO_CRITERIA, q }, null, viewer)
			answers.push(page.rows.slice(0, READ).map(({ username }) => username))
		}
		const after = { database: await databaseTime(), node: process.cpuUsage(before.node) }
		const recall = selected.reduce((sum, { q, isRight }, index) => {
			const found = answers[index]?.filter((username) => isRight(byUsername.get(username) ?? person(0))) ?? []
			const possible = Math.min(READ, people.filter(isRight).length)
			if (found.length < possible) onMiss?.(way, q, `${found.length} of ${possible}: ${answers[index]?.join(' ')}`)
			return sum + found.length / possible
		}, 0)
		const database =
			before.database === null || after.database === null ? null : (after.database - before.database) / searches
		results.push({
			way,
			searches,
			recall: recall / searches,
			database,
			node: (after.node.user + after.node.system) / 1_000 / searches,
		})
	}
	return results
}

async function addPeople(people: GeneratedMember[]): Promise<void> {
	for (let from = 0; from < people.length; from += batch)
		await db()
			.transaction()
			.execute(async (trx) => {
				await skipIndexTriggers(trx)
				const { ids } = await insertPeople(trx, people.slice(from, from + batch))
				await indexMembers(trx, ids)
			})
	await analyzeMemberTables()
}

/** Processor milliseconds that the pool's only connection has used; null if the system does not report them. */
export async function databaseTime(): Promise<number | null> {
	const { rows } = await pool().query<{ pid: number }>('select pg_backend_pid() as pid')
	try {
		return Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
	} catch {
		return null
	}
}

/** Writes the results into RESULTS.md. */
export function reportPeople(size: number, results: PeopleResult[], further: boolean): void {
	const rows = results.map(
		({ way, searches, recall, database, node }) =>
			`| ${way} | ${searches} | ${recall.toFixed(3)} | ${database?.toFixed(1) ?? ''} | ${node.toFixed(1)} |`,
	)
	const which = further ? 'further' : 'known'
	const text = `### Search of people${further ? ' in further forms' : ''}

\`npm run bench:search -- --people ${size}${further ? ' --further' : ''}\` on ${new Date().toISOString().slice(0, 10)}: of ${size.toLocaleString('en')} invented members (\`bench/search/${which}-people.ts\`) some were chosen
by chance and searched for, each by one field. “Recall” is the share of the first ${READ} places that hold somebody who has the field, of as
many as could. The whole page with its filters is read; milliseconds of processor are the mean of a search.

| way in | searches | recall@${READ} | ms of PostgreSQL’s processor | ms of Node’s |
|---|---|---|---|---|
${rows.join('\n')}
`
	process.stdout.write(text)
	saveResult(further ? 'people-further' : 'people', text)
}
