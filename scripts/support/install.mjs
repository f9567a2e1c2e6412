// What must stand before TypeScript can run: plain JavaScript, for any Node from 20.19 on.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The Node 24 that the project installs; installs it first when it is missing or package-lock.json is newer. */
export function projectNode() {
	const installed = timeOf(join(root, 'node_modules', '.package-lock.json'))
	if (installed < timeOf(join(root, 'package-lock.json')) || !existsSync(binary())) {
		process.stdout.write('Installing what is missing (npm ci). This takes a minute or two, once.\n')
		// What builds the site is a development dependency, which npm leaves out where NODE_ENV is production.
		const { status } = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
			cwd: root,
			stdio: ['ignore', 'ignore', 'inherit'],
			shell: process.platform === 'win32',
		})
		if (status !== 0 || !existsSync(binary())) stop('npm ci failed. Its message is above.')
	}
	return binary()
}

/** Builds the site when the build is older than any of its sources. */
export function buildWhenOld(node) {
	const sources = ['app', 'server', 'public', 'vite.config.ts', 'react-router.config.ts', 'package-lock.json']
	const stamp = timeOf(join(root, 'build', 'server', 'main.js'))
	if (stamp > Math.max(...sources.map((name) => newest(join(root, name))))) return
	process.stdout.write('Building the site. This takes some seconds.\n')
	const cli = join(root, 'node_modules', '@react-router', 'dev', 'bin.cjs')
	const { status, stdout, stderr } = spawnSync(node, [cli, 'build'], {
		cwd: root,
		encoding: 'utf8',
		env: { ...process.env, NODE_ENV: 'production' },
	})
	if (status !== 0) stop(`The build failed:\n${stdout}\n${stderr}`)
}

/**
 * How Node runs the site: its arguments, and what the environment has to say. Pages are short-lived objects: a nursery of 8 MB
 * takes a tenth of the processor's time off a page that 4 MB cost, for 20 MB of memory; the 16 MB of Node save no more.
 */
export function siteCommand(development) {
	const flags = ['--disable-warning=ExperimentalWarning']
	if (development) {
		const args = [...flags, '--import', './scripts/support/alias.mjs', '--conditions', 'development', 'server/main.ts']
		return { args, env: { NODE_ENV: 'development' } }
	}
	return {
		args: [...flags, '--max-semi-space-size=8', 'build/server/main.js'],
		// What V8 compiled is kept for the next start; where the folder cannot be written, Node does without.
		env: {
			NODE_ENV: 'production',
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'build', 'compiled'),
		},
	}
}

/** Ends this process with one message and the exit code 1. */
export function stop(message) {
	process.stderr.write(`${message}\n`)
	process.exit(1)
}

function binary() {
	return join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

function timeOf(path) {
	return existsSync(path) ? statSync(path).mtimeMs : 0
}

function newest(path) {
	if (!existsSync(path)) return 0
	const own = statSync(path)
	if (!own.isDirectory()) return own.mtimeMs
	return Math.max(
		own.mtimeMs,
		...readdirSync(path)
			.filter((name) => !/\.test\.tsx?$/.test(name))
			.map((name) => newest(join(path, name))),
	)
}
