import { copyFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '~/config.server.ts'

/** Bytes that the log of the built-in PostgreSQL may have before it is put aside. */
const MAX_LOG_BYTES = 10 * 2 ** 20

/**
 * Puts the log of the built-in PostgreSQL aside as `postgres.log.1`, in the place of an older one, once it has 10 MB: so both
 * together stay near 20 MB. PostgreSQL appends to its file, so emptying it is safe while it writes.
 */
export async function rotatePostgresLog(dataDir: string = config().dataDir, maxBytes = MAX_LOG_BYTES): Promise<void> {
	const file = join(dataDir, 'postgres.log')
	const size = await stat(file).then(
		({ size }) => size,
		() => 0,
	)
	if (size < maxBytes) return
	await copyFile(file, `${file}.1`)
	await truncate(file)
}
