// Runs before TypeScript can: plain JavaScript, for any Node from 20.19 on.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The sources of a build. A missing folder, as in an image of the built site, counts as older than everything. */
const sources = ['app', 'server', 'public', 'vite.config.ts', 'react-router.config.ts', 'package-lock.json']

/**
 * The Node 24 of the project. Installs what is missing; where nothing is, the network is not used.
 * @param withTools whether the tools of tests and checks are needed, the devDependencies: a site is built and run without them
 */
export function projectNode(withTools = false) {
	if (!existsSync(binary()) || missingPackages(root, withTools).length > 0) install(withTools)
	return binary()
}

/** Whether the site can run as it is: nothing has to be installed, nor built for production. */
export function isReady(development) {
	return existsSync(binary()) && missingPackages(root, development).length === 0 && (development || isBuilt(root))
}

/**
 * Describes another program that listens on HOST and PORT of the environment, in one sentence; null where there is none. Malformed
 * values are left to the site, which reports them.
 */
export async function describeTakenPort({ HOST = 'localhost', PORT = '3000' }) {
	for (const address of HOST === 'localhost' ? ['127.0.0.1', '::1'] : [HOST.replace(/^\[(.*)\]$/, '$1')])
		if (/^\d{1,5}$/.test(PORT) && Number(PORT) <= 65_535 && (await isTaken(Number(PORT), address)))
			return `Port ${PORT} is taken by another program. Stop that one, or set PORT to another number.`
	return null
}

function isTaken(port, address) {
	return new Promise((resolve) => {
		const server = createServer()
		server.once('error', ({ code }) => resolve(code === 'EADDRINUSE'))
		server.listen(port, address, () => server.close(() => resolve(false)))
	})
}

/**
 * Compares installed packages with package-lock.json: first by time, then by content, as `git checkout` and copies change times
 * only. By time an image is complete, too, whose tools of the build were removed after it.
 * @param folder of the project
 * @param withTools whether its devDependencies are needed
 * @returns the folders of packages that are missing or of another version
 */
export function missingPackages(folder, withTools = false) {
	const wanted = join(folder, 'package-lock.json')
	// An installation may be newer than the lock file and lack the tools.
	if (!withTools && timeOf(installedList(folder)) >= timeOf(wanted)) return []
	const { packages: all } = JSON.parse(readFileSync(wanted, 'utf8'))
	const present = installedPackages(folder)
	return Object.keys(all).filter((path) => {
		const { optional, devOptional, dev, version, integrity } = all[path]
		// Optional packages are mostly those of other systems.
		if (path === '' || optional || devOptional || (dev && !withTools)) return false
		return present[path]?.version !== version || present[path]?.integrity !== integrity
	})
}

function install(withTools = false) {
	// `npm ci` removes everything first, also what a running site uses.
	const onlyTools = withTools && existsSync(binary()) && missingPackages(root).length === 0
	const command = onlyTools ? 'install' : 'ci'
	process.stdout.write(
		`Installing what is missing${withTools ? ', for tests and checks too' : ''} (npm ${command}). This takes a minute or two, once.\n`,
	)
	// `npm ci` begins anew: where the tools are, they stay.
	installPackages(root, withTools || Object.values(installedPackages(root)).some(({ dev }) => dev), command)
	if (!existsSync(binary())) stop(`npm ${command} did not install Node.`)
}

/**
 * Installs the packages of a package-lock.json; exits with a message if it fails.
 * @param folder of the package-lock.json
 * @param withTools whether its devDependencies are installed as well, whatever NODE_ENV is
 * @param command `ci` installs all anew, `install` adds what is missing and leaves the rest as it is
 */
export function installPackages(folder, withTools, command = 'ci') {
	const which = withTools ? '--include=dev' : '--omit=dev'
	const { status, error } = spawnSync(
		'npm',
		[command, which, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
		{
			cwd: folder,
			stdio: ['ignore', 'ignore', 'inherit'],
			shell: process.platform === 'win32',
		},
	)
	if (error) stop(`npm has to install what is missing, and cannot be run: ${error.message}.`)
	if (status !== 0) stop(`npm ${command} failed. Its message is above.`)
}

/** The packages in node_modules by their folders, as npm lists them there. */
function installedPackages(folder) {
	return existsSync(installedList(folder)) ? JSON.parse(readFileSync(installedList(folder), 'utf8')).packages : {}
}

function installedList(folder) {
	return join(folder, 'node_modules', '.package-lock.json')
}

/** Builds the site when its sources have changed since the last build. A failed build leaves the previous one as it was. */
export function buildWhenOld(node) {
	if (isBuilt(root)) return
	if (missingPackages(root).length > 0 || !existsSync(buildTool())) install()
	process.stdout.write('Building the site. This takes some seconds.\n')
	const [next, before] = [join(root, 'build.next'), join(root, 'build.before')]
	for (const folder of [next, before]) rmSync(folder, { recursive: true, force: true })
	const { status, stdout, stderr } = spawnSync(node, [buildTool(), 'build'], {
		cwd: root,
		encoding: 'utf8',
		env: { ...process.env, NODE_ENV: 'production', BUILD_DIRECTORY: 'build.next' },
	})
	if (status !== 0) {
		rmSync(next, { recursive: true, force: true })
		stop(`The build failed:\n${stdout}\n${stderr}`)
	}
	if (existsSync(join(root, 'build'))) renameSync(join(root, 'build'), before)
	renameSync(next, join(root, 'build'))
	rmSync(before, { recursive: true, force: true })
}

/**
 * Exits with a message if a package that the build leaves outside cannot be loaded. A start does not show it: the site loads some only
 * once they are used.
 */
export function tryPackages(node) {
	const names = readFileSync(join(root, 'build', 'server', 'not-bundled.json'), 'utf8')
	const script = `for (const name of ${names}) await import(name)`
	const { status, signal, stderr } = spawnSync(node, ['--input-type=module', '--eval', script], {
		cwd: root,
		encoding: 'utf8',
	})
	if (status !== 0) stop(`A package that the site needs cannot be loaded:\n${signal ?? stderr}`)
}

/**
 * Whether the build is up to date: newer than all sources, or made from the same content.
 * @param folder of the project
 */
export function isBuilt(folder) {
	const stamp = timeOf(join(folder, 'build', 'server', 'main.js'))
	if (stamp === 0) return false
	if (stamp > Math.max(...sources.map((name) => newest(join(folder, name))))) return true
	const made = join(folder, 'build', 'server', 'sources.sha256')
	return existsSync(made) && readFileSync(made, 'utf8') === hashOfSources(folder)
}

/** A hash of the names and contents of all sources; each build stores it in a file. */
export function hashOfSources(folder) {
	const hash = createHash('sha256')
	const add = (path) => {
		if (!existsSync(path)) return
		if (statSync(path).isDirectory()) for (const name of sourcesIn(path).sort()) add(join(path, name))
		else hash.update(`${path.slice(folder.length)}\0`).update(readFileSync(path))
	}
	for (const name of sources) add(join(folder, name))
	return hash.digest('hex')
}

/**
 * How to run the site: Node's arguments, and the environment. Pages are short-lived objects: a young generation of 8 MB saves a
 * tenth of the processor time of a page that takes 4 MB, for 20 MB of memory; Node's default of 16 MB saves no more.
 */
export function siteCommand(development) {
	const flags = ['--disable-warning=ExperimentalWarning']
	if (development) {
		const args = [...flags, '--import', './scripts/support/alias.mjs', '--conditions', 'development', 'server/main.ts']
		return { args, env: { NODE_ENV: 'development' } }
	}
	return {
		args: [...flags, '--max-semi-space-size=8', 'build/server/main.js'],
		// Keeps V8's compiled code for the next start; Node does without where the folder is read-only.
		env: {
			NODE_ENV: 'production',
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'build', 'compiled'),
		},
	}
}

/** Exits with a message and the exit code 1. */
export function stop(message) {
	process.stderr.write(`${message}\n`)
	process.exit(1)
}

function binary() {
	return join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

function buildTool() {
	return join(root, 'node_modules', '@react-router', 'dev', 'bin.cjs')
}

function timeOf(path) {
	return existsSync(path) ? statSync(path).mtimeMs : 0
}

function newest(path) {
	if (!existsSync(path)) return 0
	const own = statSync(path)
	if (!own.isDirectory()) return own.mtimeMs
	return Math.max(own.mtimeMs, ...sourcesIn(path).map((name) => newest(join(path, name))))
}

function sourcesIn(folder) {
	return readdirSync(folder).filter((name) => !/\.test\.tsx?$/.test(name))
}
