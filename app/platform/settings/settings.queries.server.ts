import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** What was saved of a section: texts by setting, secrets encrypted. */
export interface StoredSection {
	section: string
	version: number
	texts: Readonly<Record<string, string>>
}

/** Everything that admins have saved: a row for each section that was ever saved. */
export async function readStoredSections(): Promise<StoredSection[]> {
	const { rows } = await sql<StoredSection>`select section, version, texts from site_settings`.execute(db())
	return rows
}
