import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { closeDatabase, openDatabase } from '~/platform/db/db.server.ts'

/** How a role of PostgreSQL connects. */
export interface Login {
	host: string
	user: string
	password: string
}

declare module 'vitest' {
	interface ProvidedContext {
		/** How the role of a site connects, and the superuser. */
		postgres: Record<'site' | 'admin', Login>
	}
}

/** The template of every test's database: postgres.ts creates it, but is not imported here, as it loads every feature. */
const template = 'devquad'

/**
 * Gives the tests of this file a migrated PostgreSQL database of their own, open as `db()`; it is dropped after them.
 * @param original the database that it is a copy of; `template0` for an empty one
 * @param limits of the pool. On a machine that does other work too, a burst of a test may wait longer than a request may.
 */
export function useDatabase(original = template, limits: pg.PoolConfig = { connectionTimeoutMillis: 30_000 }): void {
	const name = `test_${randomUUID().replaceAll('-', '')}`
	beforeAll(async () => {
		const { site } = inject('postgres')
		// Copying the files takes a quarter of the processor time of copying through the write-ahead log.
		await administer(`create database ${name} template ${original} owner ${site.user} strategy file_copy`)
		openDatabase({ ...site, database: name, ...limits })
	})
	afterAll(async () => {
		await closeDatabase()
		await administer(`drop database ${name} with (force)`)
	})
}

async function administer(statement: string): Promise<void> {
	const client = new pg.Client({ ...inject('postgres').admin, database: 'postgres' })
	await client.connect()
	try {
		await client.query(statement)
	} finally {
		await client.end()
	}
}
