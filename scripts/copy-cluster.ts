// Run by the site itself: makes a base backup of its built-in database and its keys for the continuous archive. Prints the result
// as JSON on the last line.
import { config } from '~/config.server.ts'
import { version } from '~/lib/version.ts'
import { makeBaseBackup } from '~/platform/backup/base-backup.server.ts'
import { findWalArchive } from '~/platform/backup/wal-archive.server.ts'

try {
	const [folder = ''] = process.argv.slice(2)
	const archive = await findWalArchive(folder)
	if (!archive) throw new Error(`${folder} is not a continuous archive of a DevQuad site.`)
	const bytes = await makeBaseBackup(archive, config().dataDir, version.number)
	process.stdout.write(`${JSON.stringify({ bytes })}\n`)
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exitCode = 1
}
