import pg, { type PoolConfig } from 'pg'

/** Lets the role of a bench's own site read tables into memory, and fill them without triggers: a site's role may do neither. */
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
