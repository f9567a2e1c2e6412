import { afterAll, beforeAll, expect, test } from 'vitest'
import { askQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { pool } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

useDatabase()

/* Two processes of the site on one database; the test process is a third one, and writes. */

const sites: MembersSite[] = []
let author: SignedIn
let query: { url: string }
const texts = { title: 'What do two processes know?', description: 'Each other.', tags: 'bus', category: 'others' }

beforeAll(async () => {
	sites.push(await startOnTestDatabase(), await startOnTestDatabase())
	author = await makeMember('mira')
	query = await askQuestion(author, texts)
})

afterAll(async () => {
	for (const site of sites) await site.stop()
})

const titlesSeen = () =>
	Promise.all(
		sites.map(async (site) => {
			// The title is part of the address, so the old one redirects.
			const page = await (await fetch(site.url + query.url)).text()
			return /<h1[^>]*>([^<]*)/.exec(page)?.[1]
		}),
	)

const edit = (title: string) => editQuestion(author, Number(query.url.split('/')[4]), { ...texts, title })

/** The connections with which the two sites listen. */
async function listeners(): Promise<number[]> {
	const { rows } = await pool().query(`select pid from pg_stat_activity
		where application_name = 'devquad bus' and datname = current_database()`)
	return rows.map(({ pid }) => pid)
}

test('a change in one process is visible in all of them, long before pages expire', async () => {
	expect(await titlesSeen()).toEqual([texts.title, texts.title])
	await edit('What do three of them know?')
	await eventually(async () => expect(await titlesSeen()).toEqual(Array(2).fill('What do three of them know?')))
})

test('a process that is cut off from the bus caches nothing, and caches again once it is back', async () => {
	await titlesSeen()
	const before = await listeners()
	expect(before).toHaveLength(2)
	await pool().query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [before])
	await eventually(async () => expect((await listeners()).filter((pid) => !before.includes(pid))).toHaveLength(2))
	await edit('What do they know after a silence?')
	await eventually(async () => expect(await titlesSeen()).toEqual(Array(2).fill('What do they know after a silence?')))
})
