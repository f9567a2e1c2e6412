// `npm run update [-- --to REF]`: prepares a version in releases/, beside the one that runs: installs, builds, and tries it. Once
// all of that has worked, releases/current points to it, and the next start runs it. Plain JavaScript, so that nothing has to be
// installed for it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Versions that are kept, including the current one, so that one can go back. */
const KEPT = 3
/** Milliseconds for a new version to serve an empty site. */
const TRIAL_MS = 120_000
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

const clone = cloneOf(join(dirname(fileURLToPath(import.meta.url)), '..'))
const releases = join(clone, 'releases')
const current = join(releases, 'current')

try {
	const { ref, anyway } = wantedVersion(process.argv.slice(2))
	const unlock = lock()
	try {
		await update(ref, anyway)
	} finally {
		unlock()
	}
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nWhat runs is as it was.\n`)
	process.exitCode = 1
}

/** Makes a version current: that of the ref, or the newest of the branch. @throws Error with what failed */
async function update(ref, anyway) {
	if (ref === null) git('pull', '--ff-only', '--quiet')
	else spawnSync('git', ['-C', clone, 'fetch', '--tags', '--quiet'], { stdio: 'ignore' })
	const commit = git('rev-parse', '--verify', '--quiet', `${ref ?? 'HEAD'}^{commit}`)
	const name = nameOf(commit)
	const isCurrent = existsSync(current) && basename(readlinkSync(current)) === name
	if (isCurrent) say(`${name} is current already.`)
	else {
		if (!anyway) requireMigrations(commit)
		if (!existsSync(join(releases, name))) await prepare(name, commit)
		switchTo(name)
		removeOld()
		say(`${name} is ready, and the next start runs it: ${current}`)
		say('Restart the site now, such as with: systemctl restart devquad@3000')
	}
}

/**
 * Locks out a second update: two at once would remove each other's folders.
 * @returns releases the lock
 * @throws Error while another update runs
 */
function lock() {
	const file = join(releases, '.updating')
	mkdirSync(releases, { recursive: true })
	// The lock file of a killed update does not count.
	if (existsSync(file) && !isRunning(Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true })
	try {
		writeFileSync(file, String(process.pid), { flag: 'wx' })
	} catch (error) {
		if (error.code !== 'EEXIST') throw error
		throw new Error(`Another update is running. If there is none, remove ${file}.`)
	}
	return () => rmSync(file, { force: true })
}

/** Also true for 0, which stands for a file whose process has not written its id yet. */
function isRunning(pid) {
	try {
		process.kill(pid, 0)
		return true
	} catch (error) {
		return error.code === 'EPERM'
	}
}

/** @returns the ref after `--to`, or null, and whether `--anyway` follows it */
function wantedVersion([option, ref, anyway, ...more]) {
	if (option === undefined) return { ref: null, anyway: false }
	if (option === '--to' && ref && !ref.startsWith('-') && [undefined, '--anyway'].includes(anyway) && more.length === 0)
		return { ref, anyway: anyway !== undefined }
	throw new Error('Usage: npm run update [-- --to TAG-OR-COMMIT [--anyway]]')
}

/** @throws Error when a version lacks a migration of the current one: it refuses to start on tables that this has changed */
function requireMigrations(commit) {
	const folder = join(current, 'migrations')
	if (!existsSync(folder)) return
	const known = git('ls-tree', '--name-only', commit, 'migrations/').split('\n')
	const missing = readdirSync(folder).find((name) => name.endsWith('.sql') && !known.includes(`migrations/${name}`))
	if (missing)
		throw new Error(
			`That version does not have the migration ${missing}, and does not start on a database that has it. If the current version was never started, add --anyway.`,
		)
}

/** The git repository: this folder, or, for a release, the folder that contains `releases`. */
function cloneOf(folder) {
	return basename(dirname(folder)) === 'releases' ? dirname(dirname(folder)) : folder
}

/** The name of a folder in releases/: version number and commit. */
function nameOf(commit) {
	const { version } = JSON.parse(git('show', `${commit}:package.json`))
	return `${version}-${commit.slice(0, 10)}`
}

/** Creates the folder of a version; it gets its name once it is complete. @throws Error with what failed; nothing of it is left then */
async function prepare(name, commit) {
	const folder = join(releases, `.preparing-${name}`)
	rmSync(folder, { recursive: true, force: true })
	mkdirSync(folder, { recursive: true })
	try {
		const env = { GIT_INDEX_FILE: join(folder, '.index') }
		run('git', ['-C', clone, 'read-tree', commit], { env })
		run('git', ['-C', clone, 'checkout-index', '--all', `--prefix=${folder}/`], { env })
		rmSync(env.GIT_INDEX_FILE)
		say(`Preparing ${name} in ${releases}, beside what runs.`)
		run(process.execPath, ['scripts/start.mjs', '--prepare'], {
			cwd: folder,
			env: { COMMIT: commit.slice(0, 10) },
			stdio: 'inherit',
		})
		await tryIt(folder, commit.slice(0, 10))
		// After a loss of power, a version that has its name would otherwise be one of empty files.
		spawnSync('sync')
		renameSync(folder, join(releases, name))
	} finally {
		rmSync(folder, { recursive: true, force: true })
	}
}

/** Starts it on an empty data directory, asks for its version, and stops it. @throws Error with its last output */
async function tryIt(folder, commit) {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-update-'))
	const { PATH, HOME, LANG } = process.env
	const env = { PATH, HOME, LANG, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', SEED: 'none', LOG_LEVEL: 'warn' }
	const child = spawn(process.execPath, ['scripts/start.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
	const ended = once(child, 'exit')
	let words = ''
	const ready = Promise.withResolvers?.() ?? withResolvers()
	const timer = setTimeout(() => ready.reject(new Error('It took too long to start.')), TRIAL_MS)
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk) => {
			words += chunk
			const [, url] = /is ready: +(http\S+)/.exec(words) ?? []
			if (url) ready.resolve(url)
		})
	child.once('exit', () => ready.reject(new Error('It ended before it was ready.')))
	// A signal that ends the update also ends the trial of the new version.
	const stopping = new AbortController()
	const stop = () => stopping.abort(new Error('The update was stopped.'))
	for (const signal of stopSignals) process.on(signal, stop)
	stopping.signal.addEventListener('abort', () => ready.reject(stopping.signal.reason))
	try {
		const health = await (await fetch(`${await ready.promise}/healthz`, { signal: stopping.signal })).json()
		if (health.commit !== commit) throw new Error(`It says that it is ${health.commit}.`)
	} catch (error) {
		stopping.signal.throwIfAborted()
		throw new Error(`The new version does not start. ${error.message}\n${words.trim()}`)
	} finally {
		clearTimeout(timer)
		child.kill('SIGTERM')
		await ended
		rmSync(dataDir, { recursive: true, force: true })
		for (const signal of stopSignals) process.off(signal, stop)
	}
	stopping.signal.throwIfAborted()
}

function withResolvers() {
	const made = {}
	made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
	return made
}

/** Atomically, so that there is always a current version. */
function switchTo(name) {
	const next = join(releases, '.next')
	rmSync(next, { force: true })
	symlinkSync(name, next)
	renameSync(next, current)
}

/** Removes all but the newest versions and those that run, and leftovers of a killed update. */
function removeOld() {
	const [left, names] = [[], []]
	for (const name of readdirSync(releases)) {
		if (name.startsWith('.preparing-')) left.push(name)
		else if (name !== 'current' && !name.startsWith('.')) names.push(name)
	}
	const older = names.sort((one, other) => timeOf(other) - timeOf(one)).slice(KEPT)
	const commands = older.length > 0 ? runningCommands() : ''
	// Without the list of processes it is unknown which version runs, so none is removed.
	const isOver = (name) =>
		name !== basename(readlinkSync(current)) && commands !== '' && !commands.includes(`${join(releases, name)}${sep}`)
	for (const name of [...left, ...older.filter(isOver)]) rmSync(join(releases, name), { recursive: true, force: true })
}

/** The commands of all processes, a line each; a site is started by the path of its release. Empty where there is no `ps`. */
function runningCommands() {
	const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
	return stdout || spawnSync('ps', ['-o', 'args'], { encoding: 'utf8' }).stdout || ''
}

function timeOf(name) {
	return statSync(join(releases, name)).mtimeMs
}

function git(...args) {
	return run('git', ['-C', clone, ...args]).trim()
}

/** @returns the output @throws Error with the output when it fails */
function run(program, args, { env = {}, stdio = 'pipe', cwd = clone } = {}) {
	const done = spawnSync(program, args, { cwd, encoding: 'utf8', stdio, env: { ...process.env, ...env } })
	if (done.status === 0) return done.stdout ?? ''
	const words = done.error?.message ?? `${done.stdout ?? ''}${done.stderr ?? ''}`.trim()
	throw new Error(`${[program, ...args].join(' ')} failed.${words ? ` ${words}` : ''}`)
}

function say(line) {
	process.stdout.write(`${line}\n`)
}
