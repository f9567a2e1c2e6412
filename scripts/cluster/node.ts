import { spawn } from 'node:child_process'
import { stopLimits } from '../../server/limits.ts'
import { root, siteCommand } from '../support/install.mjs'
import { keepPart, type Part } from './part.ts'

/**
 * Runs a node of the cluster, and restarts it.
 * @param settings that override the environment
 * @throws Error with one sentence when the first start fails
 */
export function startNode(settings: Record<string, string>): Promise<Part> {
	const { args, env } = siteCommand(false)
	return keepPart({
		name: `The node on port ${settings.PORT}`,
		start: () =>
			spawn(process.execPath, args, {
				cwd: root,
				// The IPC channel tells it when this process is gone, even by SIGKILL.
				stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
				detached: true,
				env: { ...process.env, ...env, ...settings },
			}),
		isUp: (line) => line?.startsWith('Press Ctrl-C') ?? false,
		patience: stopLimits.processMs,
	})
}
