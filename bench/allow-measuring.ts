import pg, { type PoolConfig } from 'pg'

/** Grants the role of a bench's site what a site's role may not do: load tables into memory, and disable triggers. */
export async function allowMeasuring(admin: PoolConfig): Promise<void> {
	const client = new pg.Client({ ...admin, database: 'devquad' })
	await client.connect()
	try {
		await client.query('create extension if not exists pg_prewarm')
		await client.query('grant set on parameter session_replication_role to devquad')
	} finally {
		await client.end()
	}
}
