import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { LegalKind } from './legal.view.ts'

export interface VersionRow {
	id: number
	kind: LegalKind
	/** Markdown; empty if the text was withdrawn. */
	body: string
	note: string
	asks: boolean
	published_at: Date
}

const columns = sql`id, kind, body, note, asks, published_at`

/** The newest version of each text. */
export async function listNewestVersions(): Promise<VersionRow[]> {
	const { rows } = await sql<VersionRow>`
		select distinct on (kind) ${columns} from legal_versions order by kind, id desc`.execute(db())
	return rows
}

/** The newest version of the terms that members have to accept; 0 without terms. */
export async function findTermsToAccept(): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		select coalesce(max(id) filter (where asks), 0) as id from legal_versions
		where kind = 'terms' and (select body from legal_versions where kind = 'terms' order by id desc limit 1) <> ''`.execute(
		db(),
	)
	return rows[0]?.id ?? 0
}

/** The versions of a text, newest first. */
export async function listVersions(kind: LegalKind, limit: number): Promise<VersionRow[]> {
	const { rows } = await sql<VersionRow>`
		select ${columns} from legal_versions where kind = ${kind} order by id desc limit ${limit}`.execute(db())
	return rows
}

/** Finds a version of a legal text; undefined if there is none. */
export async function findVersion(kind: LegalKind, id: number): Promise<VersionRow | undefined> {
	const { rows } = await sql<VersionRow>`
		select ${columns} from legal_versions where kind = ${kind} and id = ${id}`.execute(db())
	return rows[0]
}

/** Locks out concurrent publishing until the transaction ends. @returns the newest version; 0 for none */
export async function lockNewest(
	trx: Executor,
	kind: LegalKind,
): Promise<{ id: number; body: string; asked: boolean }> {
	await sql`select pg_advisory_xact_lock(hashtextextended('legal_versions', 0))`.execute(trx)
	const { rows } = await sql<{ id: number; body: string; asked: boolean }>`
		select id, body, exists (select from legal_versions where kind = ${kind} and asks) as asked
		from legal_versions where kind = ${kind} order by id desc limit 1`.execute(trx)
	return rows[0] ?? { id: 0, body: '', asked: false }
}

/** Inserts a version of a legal text. @returns its id */
export async function insertVersion(
	trx: Executor,
	version: { kind: LegalKind; body: string; note: string; asks: boolean; actorId: number },
): Promise<number> {
	const { kind, body, note, asks, actorId } = version
	const { rows } = await sql<{ id: number }>`
		insert into legal_versions (kind, body, note, asks, published_by)
		values (${kind}, ${body}, ${note}, ${asks}, ${actorId}) returning id`.execute(trx)
	if (!rows[0]) throw new Error('The version was not stored.')
	return rows[0].id
}

/** The versions of the terms up to which a member has accepted, and has put off. */
export async function findConsent(userId: number): Promise<{ agreed_to: number; asked_to: number } | undefined> {
	const { rows } = await sql<{ agreed_to: number; asked_to: number }>`
		select agreed_to, asked_to from users where id = ${userId}`.execute(db())
	return rows[0]
}

/** Whether an account is older than a version of the terms. */
export async function isOlderThan(userId: number, version: number): Promise<boolean> {
	const { rows } = await sql`
		select from users join legal_versions on legal_versions.id = ${version}
		where users.id = ${userId} and users.created_at < legal_versions.published_at`.execute(db())
	return rows.length > 0
}

/** Records that a member accepted a version; a trigger stores the time. Never lowers the version. */
export async function writeConsent(userId: number, version: number): Promise<void> {
	await sql`update users set agreed_to = ${version} where id = ${userId} and agreed_to < ${version}`.execute(db())
}

/** Records that a member put a version off. */
export async function writeConsentPostponed(userId: number, version: number): Promise<void> {
	await sql`update users set asked_to = ${version} where id = ${userId} and asked_to < ${version}`.execute(db())
}
