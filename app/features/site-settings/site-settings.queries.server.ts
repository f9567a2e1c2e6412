import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { replaceUsername } from '~/platform/db/member-names.queries.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'

/** Texts by setting; secrets are encrypted. */
export type SettingTexts = Readonly<Record<string, string>>

/** Texts before and after a save, by setting; null for the default. Both are null for a secret. */
export type SettingChanges = Readonly<Record<string, { old: string | null; new: string | null }>>

export interface SavedTexts {
	version: number
	texts: SettingTexts
}

/** The saved texts of a section; empty with version 1 if it was never saved. */
export async function findSection(section: string): Promise<SavedTexts> {
	const { rows } = await sql<SavedTexts>`
		select version, texts from site_settings where section = ${section}`.execute(db())
	return rows[0] ?? { version: 1, texts: {} }
}

/** Locks a section, so that saves are serialized. */
export async function lockSection(trx: Executor, section: string): Promise<SavedTexts & { id: number }> {
	await sql`insert into site_settings (section) values (${section}) on conflict do nothing`.execute(trx)
	const { rows } = await sql<SavedTexts & { id: number }>`
		select id, version, texts from site_settings where section = ${section} for update`.execute(trx)
	const [row] = rows
	if (!row) throw new Error(`The row of the section ${section} is gone.`)
	return row
}

/** Writes the texts of a locked section as its next version, with an entry in the history. */
export async function writeSection(
	trx: Executor,
	{ id, texts, changes, actorId }: { id: number; texts: SettingTexts; changes: SettingChanges; actorId: number },
): Promise<void> {
	await sql`
		with saved as (
			update site_settings set texts = ${JSON.stringify(texts)}::jsonb, version = version + 1 where id = ${id}
		)
		insert into site_setting_changes (section_id, actor_id, changes)
		values (${id}, ${actorId}, ${JSON.stringify(changes)}::jsonb)`.execute(trx)
}

export interface ChangeRow {
	id: number
	at: string
	changes: SettingChanges
	username: string | null
	name: string | null
}

/** The last changes of a section, latest first. */
export async function listChangeRows(section: string, limit: number): Promise<ChangeRow[]> {
	const { rows } = await sql<ChangeRow>`
		select c.id, ${isoSeconds('c.at')} as at, c.changes, u.username, u.name
		from site_setting_changes c left join users u on u.id = c.actor_id
		where c.section_id = (select id from site_settings where section = ${section})
		order by c.id desc limit ${limit}`.execute(db())
	return rows
}

/** What one change of a section did. */
export async function findChanges(section: string, id: number): Promise<SettingChanges | undefined> {
	const { rows } = await sql<{ changes: SettingChanges }>`
		select changes from site_setting_changes
		where id = ${id} and section_id = (select id from site_settings where section = ${section})`.execute(db())
	return rows[0]?.changes
}

/** Replaces usernames in texts, and keeps their order. */
export async function renameInSettings(
	texts: readonly string[],
	usernames: readonly string[],
	replacement: string,
): Promise<string[]> {
	const { rows } = await sql<{ text: string }>`
		select ${replaceUsername(sql`text`, usernames, replacement)} as text
		from unnest(${[...texts]}::text[]) with ordinality as given (text, place) order by place`.execute(db())
	return rows.map(({ text }) => text)
}

/** Writes the texts of a locked section as its next version, without an entry in the history. */
export async function rewriteSection(trx: Executor, id: number, texts: SettingTexts): Promise<void> {
	await sql`
		update site_settings set texts = ${JSON.stringify(texts)}::jsonb, version = version + 1 where id = ${id}`.execute(
		trx,
	)
}
