import { pool } from '~/db/db.server.ts'

/** Whether the database answers. */
export async function isReady(): Promise<boolean> {
	try {
		await pool().query('select 1')
		return true
	} catch {
		return false
	}
}
