import { existsSync, lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { ownFolder } from './postgres-owner.server.ts'
import { socketFolderOf } from './postgres-process.server.ts'
import { rolesOf } from './postgres-roles.server.ts'

/*
 * How the built-in PostgreSQL hands over its WAL (write-ahead log). The server always has an archive command, which copies segments
 * into a folder of the data directory only while that folder exists. So archiving is switched on and off without a restart.
 */

/** The environment variable with the path of the folder: a path in a variable needs no quoting. */
export const WAL_FOLDER = 'DEVQUAD_WAL_FOLDER'

const folder = `"$${WAL_FOLDER}"`

/** Server settings for archiving. A segment is on disk before it gets its name, as PostgreSQL may remove its own copy then. */
export const ARCHIVING = [
	'archive_mode=on',
	`archive_command=test ! -d ${folder} || { cp %p ${folder}/.%f && sync ${folder}/.%f && mv ${folder}/.%f ${folder}/%f && sync ${folder}; }`,
]

/** Bytes of a WAL segment, as initdb sets it. */
export const SEGMENT_BYTES = 16 * 2 ** 20

/** The folder that segments are copied to. */
export function walFolder(dataDir: string): string {
	return join(dataDir, 'postgres-wal')
}

/** Whether PostgreSQL hands over its segments at present. */
export function isArchiving(dataDir: string): boolean {
	return existsSync(walFolder(dataDir))
}

/** A superuser connection to the built-in PostgreSQL of a running data directory. The caller ends it. */
export async function connectAsSuperuser(dataDir: string): Promise<pg.Client> {
	const sockets = socketFolderOf(join(dataDir, 'postgres'))
	if (!sockets) throw new Error('The built-in database does not run.')
	const client = new pg.Client(rolesOf(dataDir, sockets).admin)
	client.on('error', () => {})
	await client.connect()
	return client
}

/**
 * Makes PostgreSQL hand over each WAL segment, full or not, after this many seconds at the latest.
 * @throws Error with one sentence when the server was started by a version without archiving
 */
export async function enableArchiving(dataDir: string, seconds: number): Promise<void> {
	const client = await connectAsSuperuser(dataDir)
	try {
		const { rows } = await client.query<{ archive_command: string }>('show archive_command')
		if (!rows[0]?.archive_command.includes(WAL_FOLDER))
			throw new Error('The database still runs as an earlier version started it. Restart the site')
		await setTimeLimit(client, String(seconds))
	} finally {
		await client.end()
	}
	const { uid, gid } = lstatSync(join(dataDir, 'postgres'))
	ownFolder(walFolder(dataDir), process.getuid?.() === 0 ? { uid, gid, prefix: [] } : { prefix: [] })
}

/** Makes PostgreSQL keep no WAL for archiving any more. */
export async function disableArchiving(dataDir: string): Promise<void> {
	const client = await connectAsSuperuser(dataDir)
	try {
		await setTimeLimit(client, '0')
	} finally {
		await client.end()
	}
	await rm(walFolder(dataDir), { recursive: true, force: true })
}

async function setTimeLimit(client: pg.Client, seconds: string): Promise<void> {
	await client.query(`alter system set archive_timeout = ${client.escapeLiteral(seconds)}`)
	await client.query('select pg_reload_conf()')
}

/** Whether PostgreSQL's last attempt to hand over a segment succeeded. */
export async function isArchivingWorking(dataDir: string): Promise<boolean> {
	const client = await connectAsSuperuser(dataDir)
	try {
		const { rows } = await client.query<{ can: boolean }>(
			`select coalesce(last_failed_time <= last_archived_time, last_failed_time is null) as can from pg_stat_archiver`,
		)
		return rows[0]?.can ?? false
	} finally {
		await client.end()
	}
}

/** The end of a base backup: its first and last WAL segment, and the files that PostgreSQL needs to restore it. */
export interface BaseEnd {
	stop: string
	label: string
	at: Date
}

/**
 * Begins a base backup, so that files may be copied while the cluster runs; the same connection ends it. @returns the first WAL
 * segment that the copy needs
 */
export async function beginBase(client: pg.Client): Promise<string> {
	const { rows } = await client.query<{ start: string }>(
		`select pg_walfile_name(pg_backup_start('DevQuad', fast => true)) as start`,
	)
	return rows[0]?.start ?? ''
}

/** Ends the base backup, and waits until the WAL that it needs was handed over. */
export async function endBase(client: pg.Client): Promise<BaseEnd> {
	const { rows } = await client.query<BaseEnd>(
		`select pg_walfile_name(lsn) as stop, labelfile as label, clock_timestamp() as at from pg_backup_stop(wait_for_archive => true)`,
	)
	const [end] = rows
	if (!end) throw new Error('The database did not end the copy.')
	return end
}

/** The system identifier of a cluster, which never changes and is kept by a restore. */
export async function systemIdentifier(dataDir: string): Promise<string> {
	const client = await connectAsSuperuser(dataDir)
	try {
		const { rows } = await client.query<{ id: string }>('select system_identifier::text as id from pg_control_system()')
		return rows[0]?.id ?? ''
	} finally {
		await client.end()
	}
}
