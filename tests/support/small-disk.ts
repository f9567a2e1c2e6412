import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether this process may mount a disk that only its own processes see, and make namespaces. */
export const canIsolate =
	process.platform === 'linux' && spawnSync('unshare', ['-m', '-n', '-p', '-f', '--mount-proc', 'true']).status === 0
/** Part of the name of a test that needs it, so that the report says why the test was skipped. */
export const isolationNote = canIsolate ? '' : ' (skipped: unshare is not allowed here)'

/** A disk in memory that the processes of its own namespace see, and this one through /proc. */
export interface SmallDisk {
	/** Where processes that run on it find it. */
	folder: string
	/** Where this process finds the same. */
	seen: string
	/** What to put before a command so that it runs there. */
	prefix: string[]
	/** Takes what is left of it. */
	fill: () => void
	/** Gives that back. */
	free: () => void
	remove: () => Promise<void>
}

/** Mounts a disk of so many megabytes where nothing but this test sees it. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-disk-'))
	const holder = spawn(
		'unshare',
		[
			'-m',
			'sh',
			'-c',
			`mount -t tmpfs -o mode=711,size=${megabytes}m tmpfs "$0" && echo mounted && exec sleep 3600`,
			folder,
		],
		{ stdio: ['ignore', 'pipe', 'inherit'] },
	)
	await once(holder.stdout, 'data')
	const seen = `/proc/${holder.pid}/root${folder}`
	const filling = join(seen, 'filling')
	const prefix = ['nsenter', '-m', '-t', String(holder.pid), `--wd=${process.cwd()}`]
	return {
		folder,
		seen,
		prefix,
		fill: () => {
			for (const size of [1_048_576, 4_096]) {
				try {
					for (;;) appendFileSync(filling, Buffer.alloc(size))
				} catch (error) {
					if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
				}
			}
		},
		free: () => rmSync(filling, { force: true }),
		remove: async () => {
			holder.kill()
			await once(holder, 'exit')
			rmdirSync(folder)
		},
	}
}

/** Runs a command where the disk is seen. */
export function runOn({ prefix }: SmallDisk, ...command: string[]): void {
	const [program = '', ...args] = [...prefix, ...command]
	execFileSync(program, args)
}
