import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, renameDurably } from '~/lib/folders.server.ts'
import { beginBase, connectAsSuperuser, endBase } from '~/platform/db/wal-archiving.server.ts'
import { type ArchiveEntry, archiveEnding, writeArchive } from './archive.server.ts'
import { dataFiles } from './backup.server.ts'
import { momentName, type WalArchive } from './wal-archive.server.ts'

/*
 * The entries of a base backup: `base.json`, `cluster/{offset}/{file}` in pieces, `data/{file}`. The cluster is copied while it
 * runs. Changes made meanwhile are in the WAL segments that the base backup names, from the first to the last.
 */

/** Bytes of a file held in memory at a time. */
const PIECE_BYTES = 8 * 2 ** 20

/** Folders whose content PostgreSQL recreates: https://www.postgresql.org/docs/18/continuous-archiving.html, “Backing up the data directory”. */
const EMPTIED = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//
const LEFT_OUT = /^(postmaster\.(pid|opts)|(.*\/)?pgsql_tmp.*|(.*\/)?pg_internal\.init.*)$/

/** The beginning of the name of a base backup that is being made. */
const MAKING = 'making-'

/** The first entry of a base backup. */
export interface BaseHeader {
	format: 1
	/** DevQuad's version. */
	version: string
	/** PostgreSQL's major version, such as 18: no other version can read the files. */
	postgres: string
	/** Folders of the cluster, including empty ones. */
	folders: string[]
}

/**
 * Copies the built-in database and the keys of a data directory into an archive, while the site runs.
 * @returns bytes of the file
 * @throws Error with one sentence when the place cannot be written; the error of PostgreSQL
 */
export async function makeBaseBackup(archive: WalArchive, dataDir: string, version: string): Promise<number> {
	const folder = join(archive.folder, 'bases')
	await makeFolder(folder)
	// Left by a killed process. If its script is still writing, its rename fails: two writers must not share a name.
	for (const name of await readdir(folder)) if (name.startsWith(MAKING)) await rm(join(folder, name), { force: true })
	const making = join(folder, `${MAKING}${randomUUID()}`)
	const client = await connectAsSuperuser(dataDir)
	try {
		const start = await beginBase(client)
		const ended = { name: '' }
		const key = archive.recipient === null ? null : { recipient: archive.recipient }
		const entries = async function* (): AsyncGenerator<ArchiveEntry> {
			yield* clusterFiles(join(dataDir, 'postgres'), version)
			yield* dataFiles(dataDir)
			const { at, stop, label } = await endBase(client)
			// Rounded up, so that it never names a moment before the copy was complete.
			ended.name = `${momentName(new Date(at.getTime() + 1_000))}-${start}-${stop}${archiveEnding(key)}`
			yield { name: 'cluster/0/backup_label', contents: Buffer.from(label) }
		}
		const bytes = await writeArchive(making, key, entries())
		await renameDurably(making, join(folder, ended.name))
		return bytes
	} finally {
		await client.end()
	}
}

async function* clusterFiles(cluster: string, version: string): AsyncGenerator<ArchiveEntry> {
	const { folders, files } = await listCluster(cluster)
	const postgres = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
	const header: BaseHeader = { format: 1, version, postgres, folders }
	yield { name: 'base.json', contents: Buffer.from(JSON.stringify(header)) }
	for (const name of files) if (!EMPTIED.test(name)) yield* piecesOf(cluster, name)
}

/** The folders and files of a cluster that runs: PostgreSQL makes and removes some of them meanwhile. Names are relative to it. */
export async function listCluster(cluster: string): Promise<{ folders: string[]; files: string[] }> {
	const [folders, files]: [string[], string[]] = [[], []]
	const waiting = ['']
	for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
		const found = await readdir(join(cluster, folder), { withFileTypes: true }).catch(
			(error: NodeJS.ErrnoException) => {
				if (error.code === 'ENOENT' && folder !== '') return []
				throw error
			},
		)
		for (const entry of found) {
			const name = join(folder, entry.name)
			if (LEFT_OUT.test(name)) continue
			if (entry.isFile()) files.push(name)
			if (entry.isDirectory()) folders.push(name)
			if (entry.isDirectory()) waiting.push(name)
		}
	}
	return { folders, files }
}

/** A file that is dropped meanwhile is skipped: the WAL records that. */
async function* piecesOf(cluster: string, name: string): AsyncGenerator<ArchiveEntry> {
	const file = await open(join(cluster, name)).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return null
		throw error
	})
	try {
		// What is appended meanwhile is in the WAL.
		const size = (await file?.stat())?.size ?? 0
		for (let offset = 0; file && (offset < size || offset === 0); offset += PIECE_BYTES) {
			const length = Math.min(PIECE_BYTES, size - offset)
			const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
			if (bytesRead > 0 || offset === 0)
				yield { name: `cluster/${offset}/${name}`, contents: buffer.subarray(0, bytesRead) }
			if (bytesRead < length) return
		}
	} finally {
		await file?.close()
	}
}
