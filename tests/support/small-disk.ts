import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from '../../app/lib/system-errors.ts'

/** Whether this process may create namespaces and mount a private disk. */
export const canIsolate =
	process.platform === 'linux' && spawnSync('unshare', ['-m', '-n', '-p', '-f', '--mount-proc', 'true']).status === 0
/** Appended to the titles of tests that need it, so that the report explains why they were skipped. */
export const isolationNote = canIsolate ? '' : ' (skipped: unshare is not allowed here)'

/** A disk in memory, visible in its namespace, and from this process through /proc. */
export interface SmallDisk {
	/** Its path within the namespace. */
	folder: string
	/** Its path for this process. */
	seen: string
	/** The command prefix to run a program there. */
	prefix: string[]
	/** Fills it up. */
	fill: () => void
	/** Frees that space. */
	free: () => void
	remove: () => Promise<void>
}

/** Mounts a disk of this size in a private namespace. */
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
					if (codeOf(error) !== 'ENOSPC') throw error
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

/** Runs a command in the disk's namespace. */
export function runOnDisk({ prefix }: SmallDisk, ...command: string[]): void {
	const [program = '', ...args] = [...prefix, ...command]
	execFileSync(program, args)
}
