import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** The saved values of a section: texts by setting, secrets encrypted. */
export interface StoredSection {
	section: string
	version: number
	texts: Readonly<Record<string, string>>
}

/** All saved settings: a row for each section that was ever saved. */
export async function readStoredSections(): Promise<StoredSection[]> {
	const { rows } = await sql<StoredSection>`select section, version, texts from site_settings`.execute(db())
	return rows
}
