import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { childEnvironment } from '~/config.server.ts'

/**
 * Runs a script of the project in a child process, so that the server stays responsive.
 * @param options.passphrase of backups, if any
 * @param options.stop aborts the script, which then throws
 * @returns the last line of its output, parsed as JSON
 * @throws Error with the last line of its error output
 */
export async function runScript(
	file: string,
	args: string[],
	{ passphrase, stop }: { passphrase?: string | undefined; stop?: AbortSignal | undefined } = {},
): Promise<unknown> {
	const child = spawn(process.execPath, ['--import', './scripts/support/alias.mjs', file, ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: childEnvironment({ BACKUP_PASSPHRASE: passphrase }),
	})
	stop?.addEventListener('abort', () => child.kill(), { once: true })
	const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
	if (code !== 0) throw new Error(errors.trim().split('\n').at(-1) || `the command ended with ${code}`)
	return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}
