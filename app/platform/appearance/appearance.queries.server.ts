import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'

/** Stored logos: the history of the settings can bring back as many. */
const MAX_LOGOS = 20

/**
 * Stores an uploaded logo. Where there are too many, the one that was chosen longest ago is deleted.
 * @returns whether it is stored in this size
 */
export async function storeLogo(
	trx: Executor,
	logo: { path: string; width: number; height: number },
): Promise<boolean> {
	const { path, width, height } = logo
	const { rows } = await sql`
		insert into site_logos (path)
		select path from pictures where path = ${path} and kind = 'logo' and width = ${width} and height = ${height} for key share
		on conflict (path) do update set chosen_at = now() returning 1`.execute(trx)
	await sql`
		delete from site_logos where path not in (
			select path from site_logos order by chosen_at desc, path limit ${MAX_LOGOS})`.execute(trx)
	return rows.length > 0
}
