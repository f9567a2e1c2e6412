import { existsSync, lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { ownFolder } from './postgres-owner.server.ts'
import { socketFolderOf } from './postgres-process.server.ts'
import { rolesOf } from './postgres-roles.server.ts'

/*
 * How the built-in PostgreSQL hands its WAL (write-ahead log) over. The server always archives, by a command that copies each file into a
 * folder of the data directory while that folder exists; so archiving is turned on and off without a restart.
 */

/** The environment variable that tells the command where the folder is: a path in a variable needs no quoting. */
export const WAL_FOLDER = 'DEVQUAD_WAL_FOLDER'

const folder = `"$${WAL_FOLDER}"`

/** Settings that the server is started with. A file is on the disk before it appears under its name, which means that PostgreSQL may forget it. */
export const ARCHIVING = [
	'archive_mode=on',
	`archive_command=test ! -d ${folder} || { cp %p ${folder}/.%f && sync ${folder}/.%f && mv ${folder}/.%f ${folder}/%f && sync ${folder}; }`,
]

/** Bytes of each file of the WAL, as initdb makes it. */
export const SEGMENT_BYTES = 16 * 2 ** 20

/** Where the files are put. */
export function walFolder(dataDir: string): string {
	return join(dataDir, 'postgres-wal')
}

/** Whether PostgreSQL hands its files over at present. */
export function isArchiving(dataDir: string): boolean {
	return existsSync(walFolder(dataDir))
}

/** A connection as the superuser of the built-in PostgreSQL that runs on a data directory. Whoever gets it ends it. */
export async function connectAsSuperuser(dataDir: string): Promise<pg.Client> {
	const sockets = socketFolderOf(join(dataDir, 'postgres'))
	if (!sockets) throw new Error('The built-in database does not run.')
	const client = new pg.Client(rolesOf(dataDir, sockets).admin)
	client.on('error', () => {})
	await client.connect()
	return client
}

/**
 * Has PostgreSQL hand over each file of the WAL, full or not, after so many seconds at the latest.
 * @throws Error with one sentence when the server was started by a version that did not archive
 */
export async function turnArchivingOn(dataDir: string, seconds: number): Promise<void> {
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

/** Has PostgreSQL keep nothing of the WAL for us any more. */
export async function turnArchivingOff(dataDir: string): Promise<void> {
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

/** Whether the last file that PostgreSQL had to hand over was handed over. */
export async function canHandOver(dataDir: string): Promise<boolean> {
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

/** Where a copy of the cluster begins and ends in the WAL: names of its files, and what PostgreSQL has to be told of it. */
export interface BaseEnd {
	stop: string
	label: string
	at: Date
}

/** Allows the files of the cluster to be copied while it runs; the same connection ends it. @returns the first file of the WAL that the copy needs */
export async function beginBase(client: pg.Client): Promise<string> {
	const { rows } = await client.query<{ start: string }>(
		`select pg_walfile_name(pg_backup_start('DevQuad', fast => true)) as start`,
	)
	return rows[0]?.start ?? ''
}

/** Ends the copy, and waits until the WAL that it needs was handed over. */
export async function endBase(client: pg.Client): Promise<BaseEnd> {
	const { rows } = await client.query<BaseEnd>(
		`select pg_walfile_name(lsn) as stop, labelfile as label, clock_timestamp() as at from pg_backup_stop(wait_for_archive => true)`,
	)
	const [end] = rows
	if (!end) throw new Error('The database did not end the copy.')
	return end
}

/** The number that a cluster has had since it was made, and keeps where it is restored. */
export async function systemIdentifier(dataDir: string): Promise<string> {
	const client = await connectAsSuperuser(dataDir)
	try {
		const { rows } = await client.query<{ id: string }>('select system_identifier::text as id from pg_control_system()')
		return rows[0]?.id ?? ''
	} finally {
		await client.end()
	}
}
