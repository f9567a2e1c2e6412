import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { inject } from 'vitest'
import { hashPassword } from '~/features/accounts/security/credentials.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { startSite } from './site-process.ts'

/*
 * Sites on the test's database, and members who are logged in to them. Tests that call use cases of features themselves import
 * `~/features/index.server.ts`; others need no second of processor time for it.
 */

export const password = 'a lantern at the ford'

export interface MembersSite {
	url: string
	pid: number
	/** Its output so far, both streams. */
	output: () => string
	/** Kills the process, as a crash would. */
	kill: () => Promise<void>
	/** Sends a request like a navigation, without following redirects. */
	ask: (path: string, cookie: string, form?: Record<string, string>) => Promise<Response>
	stop: () => Promise<void>
}

/** Sends a request as a page of the site would, without following redirects. */
export function requestPage(
	url: string,
	path: string,
	cookie: string,
	form?: Record<string, string>,
): Promise<Response> {
	return fetch(url + path, {
		redirect: 'manual',
		headers: { Origin: new URL(url).origin, ...(cookie && { Cookie: cookie }) },
		...(form && { method: 'POST', body: new URLSearchParams(form) }),
	})
}

/** The connection string of the test's database for other processes. */
export async function testDatabaseUrl(): Promise<string> {
	const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db())
	const { host, user, password } = inject('postgres').site
	return `postgresql://${user}:${password}@localhost/${rows[0]?.name}?host=${encodeURIComponent(host)}`
}

/**
 * Starts the built site on the test's database, so that the test sees every row.
 * @param port to start a second site at the same address
 * @param env further settings
 */
export async function startOnTestDatabase(port?: string, env: Record<string, string> = {}): Promise<MembersSite> {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-members-'))
	const site = await startSite({
		DATA_DIR: dataDir,
		DATABASE_URL: await testDatabaseUrl(),
		SEED: 'none',
		// The same for each start, so that sessions survive a restart.
		AUTH_SECRET: 'a secret that only these tests know of',
		...(port && { PORT: port }),
		...env,
	})
	return {
		url: site.url,
		pid: site.child.pid ?? 0,
		output: site.output,
		kill: async () => {
			site.child.kill('SIGKILL')
			await once(site.child, 'exit')
			rmSync(dataDir, { recursive: true, force: true })
		},
		ask: (path, cookie, form) => requestPage(site.url, path, cookie, form),
		stop: async () => {
			await site.stop()
			rmSync(dataDir, { recursive: true, force: true })
		},
	}
}

/** Cached, as hashing takes 20 ms of processor time per member. */
let passwordHash: Promise<string> | undefined

/** Creates a member with a password and logs them in. @returns the member and the cookies of their session */
export async function logInMember(
	site: Pick<MembersSite, 'ask'>,
	username: string,
	role: SignedIn['role'] = 'member',
): Promise<{ member: SignedIn; cookie: string }> {
	const member = await makeMember(username, role)
	passwordHash ??= hashPassword(password)
	const account = { user_id: member.id, account_id: String(member.id), provider_id: 'credential' }
	await db()
		.insertInto('credentials')
		.values({ ...account, password: await passwordHash })
		.execute()
	return { member, cookie: await logInAgain(site, username) }
}

/** Starts another session of a member made by {@link logInMember}. @returns its cookies */
export async function logInAgain(site: Pick<MembersSite, 'ask'>, username: string): Promise<string> {
	const response = await site.ask('/login', '', { email: `${username}@campus.example`, password })
	const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
	return cookies.filter((cookie) => /^(__Host-)?session/.test(cookie)).join('; ')
}

export const profileTables = [
	'users',
	'credentials',
	'profiles',
	'experiences',
	'skills',
	'profile_skills',
	'projects',
	'certificates',
	'pictures',
] as const

type Row = Record<string, unknown>

/** All rows of the tables of a profile. */
export async function readRows(): Promise<Record<(typeof profileTables)[number], Row[]>> {
	const tables = profileTables.map(async (table) => {
		const { rows } = await sql<{ row: Row }>`
			select to_jsonb(t) as row from ${sql.table(table)} as t order by to_jsonb(t)::text`.execute(db())
		return [table, rows.map(({ row }) => row)]
	})
	return Object.fromEntries(await Promise.all(tables))
}
