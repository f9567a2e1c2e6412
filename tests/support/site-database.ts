import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'

/** How the role of the site, or the superuser, reaches the built-in PostgreSQL of a site that runs on this data directory. */
export function siteDatabase(dataDir: string, role: 'devquad' | 'devquad_admin' = 'devquad'): ClientConfig {
	const file = role === 'devquad' ? 'postgres-password' : 'postgres-admin-password'
	return {
		host: readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4],
		user: role,
		password: readFileSync(join(dataDir, file), 'utf8').trim(),
		database: 'devquad',
	}
}
