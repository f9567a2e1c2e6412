import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canIsolate } from './small-disk.ts'

/** Mounts a new ext4 file system, whose blocks are a file. `$0` is a folder. */
const MOUNT = `cd "$0" && truncate -s 64m image && mkfs.ext4 -q -F image && mkdir disk later && mount -o loop image disk && chmod 711 disk`

/** Whether this process may mount a disk whose power can be cut. */
export const canCutPower = canIsolate && isMountable()
/** Appended to the titles of tests that need it, so that the report explains why they were skipped. */
export const powerNote = canCutPower ? '' : ' (skipped: no ext4 can be mounted here)'

/** A disk whose power can be cut: what the system has not written to it by then is lost. */
export interface PoweredDisk {
	/** Its path within the namespace, and the command prefix to run a program there. */
	folder: string
	prefix: string[]
	/** Its path for this process. */
	seen: string
	/** Cuts the power, once. @returns the path of the disk as it is found afterwards; the first one goes on */
	cutPower: () => string
	remove: () => Promise<void>
}

/** Mounts such a disk in a private namespace. */
export async function mountPoweredDisk(): Promise<PoweredDisk> {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-power-'))
	const holder = spawn('unshare', ['-m', 'sh', '-c', `${MOUNT} && echo mounted && exec sleep 3600`, folder], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	await once(holder.stdout, 'data')
	const root = `/proc/${holder.pid}/root${folder}`
	const prefix = ['nsenter', '-m', '-t', String(holder.pid)]
	return {
		folder: join(folder, 'disk'),
		prefix,
		seen: join(root, 'disk'),
		cutPower: () => {
			// The file has what reached the disk; the rest is in the memory of the system.
			const cut = 'cd "$0" && cp image image-later && mount -o loop image-later later'
			const [program = '', ...args] = [...prefix, 'sh', '-c', cut, folder]
			execFileSync(program, args)
			return join(root, 'later')
		},
		remove: async () => {
			holder.kill()
			await once(holder, 'exit')
			rmSync(folder, { recursive: true, force: true })
		},
	}
}

function isMountable(): boolean {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-power-'))
	const { status } = spawnSync('unshare', ['-m', 'sh', '-c', MOUNT, folder], { stdio: 'ignore' })
	rmSync(folder, { recursive: true, force: true })
	return status === 0
}
