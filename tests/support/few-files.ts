import { spawnSync } from 'node:child_process'

/** Whether the open files of a process can be limited here. */
export const canLimitFiles = process.platform !== 'win32'

/** Files that a process may have open, besides those of Node itself few. */
const MAX_FILES = 100

/**
 * Runs a script of this project in a process that may have few files open. There `useUp()` opens as many as possible, and returns what
 * closes them.
 * @returns the exit code, standard output, and standard error
 */
export function runWithFewFiles(
	script: string,
	env: Record<string, string> = {},
): { status: number | null; stdout: string; stderr: string } {
	const whole = `
		const { closeSync, openSync } = await import('node:fs')
		const useUp = () => {
			const opened = []
			try {
				for (;;) opened.push(openSync('/dev/null'))
			} catch {
				return () => opened.splice(0).forEach((one) => closeSync(one))
			}
		}
		${script}`
	const node = [process.execPath, '--import', './scripts/support/alias.mjs', '--input-type=module', '--eval', whole]
	return spawnSync('sh', ['-c', `ulimit -n ${MAX_FILES} && exec "$0" "$@"`, ...node], {
		encoding: 'utf8',
		env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...env },
		timeout: 60_000,
	})
}
