import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Chromium without the code of windows: draws and runs the same pages for about 30 % less of the processor's time. */
const shells = ['/usr/lib/chromium/chromium-headless-shell']
const browsers = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/opt/google/chrome/chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where a process tells those that it starts what it has found, so that none of them tries to install it again. */
const foundAt = 'TEST_CHROMIUM'

/**
 * The path of an installed Chromium or Chrome, the headless shell if there is one; as root on Debian the shell is installed,
 * and the whole browser where that cannot be had.
 * @throws Error with one sentence that says what to install
 */
export function findChromium(): string {
	const known = process.env[foundAt]
	if (known) return known
	const shell = first(shells) ?? install('chromium-headless-shell', shells)
	const found = shell ?? first(browsers) ?? install('chromium', browsers)
	if (found) {
		process.env[foundAt] = found
		return found
	}
	throw new Error(
		'The browser tests need Chromium: install it (on Debian: sudo apt-get install chromium-headless-shell) and run again.',
	)
}

/** The path of an installed browser with everything in it, such as notifications, which the headless shell has not. */
export function findWholeBrowser(): string | undefined {
	return first(browsers)
}

function first(places: string[]): string | undefined {
	return places.find((path) => existsSync(path))
}

/** Where the package stands once it is installed; undefined where nothing may be, or can be. */
function install(name: string, places: string[]): string | undefined {
	if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
	process.stdout.write(`Installing Chromium for the browser tests (apt-get install ${name}).\n`)
	const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
	spawnSync('apt-get', ['update'], quiet)
	spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], quiet)
	return first(places)
}

/** Flags for machines without a desktop. Chromium's own sandbox is only switched off where it cannot work: as root. */
export function chromiumFlags(): string[] {
	const quiet = [
		'--disable-gpu',
		'--disable-quic',
		'--no-first-run',
		'--disable-background-networking',
		'--disable-component-update',
		'--disable-sync',
	]
	return process.getuid?.() === 0 ? ['--no-sandbox', ...quiet] : quiet
}
