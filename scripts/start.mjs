// `npm start` and `npm run dev`: installs and builds what is missing, then runs the site, forwards signals, and restarts the site
// when it was killed. `--prepare` stops before the site is run, and fails if a package cannot be loaded.
import { spawn } from 'node:child_process'
import {
	buildWhenOld,
	describeTakenPort,
	isReady,
	projectNode,
	root,
	siteCommand,
	stop,
	tryPackages,
} from './support/install.mjs'
import { keepAlive } from './support/keep-alive.mjs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19))
	stop(`Node ${process.versions.node} is too old. DevQuad needs 20.19 or newer.`)

const options = process.argv.slice(2)
const unknown = options.find((option) => option !== '--dev' && option !== '--prepare')
if (unknown)
	stop(`Unknown option ${unknown}. Settings are environment variables, such as PORT=4000: .env.example lists them.`)
const development = options.includes('--dev')
const onlyPrepares = options.includes('--prepare')
// A site that is already installed and built reports it better, and as quickly: its data directory may show that this very site is
// running.
const taken = onlyPrepares ? null : await describeTakenPort(process.env)
if (taken && !isReady(development)) stop(taken)
// Who develops also tests.
const node = projectNode(development)
if (!development) buildWhenOld(node)
if (onlyPrepares) {
	tryPackages(node)
	process.exit(0)
}

/** Signals that ask the site to stop. A process that ends by one of them was not killed. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']
let child
let isStopping = false
/** Milliseconds after which a site that still opens its data directory is reported: on a mount that does not answer, it can say nothing itself. */
const openingMs = 10_000
/** Whether the site has served since this script began. An earlier failure is an error in the settings, so a restart would not help. */
let hasServed = false

// A log on a full disk takes no line of this process; that is no reason to leave the site down.
process.stderr.on('error', () => {})

const stopRestarting = keepAlive(start, ({ code, signal, wait }) => {
	const isOver = isStopping || development || code === 0 || stopSignals.includes(signal)
	if (isOver || (code !== null && !hasServed)) process.exit(code ?? 1)
	const reason = signal ? `was killed by ${signal}` : `ended by itself with the exit code ${code}`
	process.stderr.write(`The site ${reason} and is started again in ${wait / 1000} s.\n`)
	return true
})

// Ctrl-C and a closed terminal reach the site directly, which ignores repeated signals; other signals reach this process only.
for (const signal of stopSignals) process.on(signal, () => stopSite(signal !== 'SIGINT'))

// npm sends SIGTERM to a shell between it and this script, which exits without forwarding it.
const parent = process.ppid
const parentLookMs = 250
if (process.env.npm_lifecycle_event) {
	setInterval(() => process.ppid !== parent && !isStopping && stopSite(true), parentLookMs).unref()
}

function stopSite(passesOn) {
	isStopping = true
	stopRestarting()
	if (!child || child.exitCode !== null || child.signalCode !== null) process.exit(0)
	if (passesOn) child.kill('SIGTERM')
}

function start() {
	// The IPC channel tells the child when this process is gone, even by SIGKILL, and tells this process when the child serves.
	const { args, env } = siteCommand(development)
	child = spawn(node, args, {
		cwd: root,
		stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
		env: { ...process.env, ...env },
	})
	let opening
	child.on('message', (message) => {
		clearTimeout(opening)
		if (message === 'opening') opening = setTimeout(reportOpening, openingMs)
		if (message === 'serving') hasServed = true
	})
	child.once('exit', () => clearTimeout(opening))
	return child
}

function reportOpening() {
	process.stdout.write(
		`Still waiting for the data directory ${process.env.DATA_DIR ?? 'data'}. Either another site has just used it, or its disk or mount does not answer.\n`,
	)
}
