import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Chromium without its window system: renders the same pages for about 30 % less processor time. */
const shells = ['/usr/lib/chromium/chromium-headless-shell']
const browsers = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/opt/google/chrome/chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The environment variable in which a process passes the path that it found to its children, so that none of them installs it again. */
const foundAt = 'TEST_CHROMIUM'

/**
 * The path of an installed Chromium or Chrome, preferably the headless shell. As root on Debian, the shell is installed if missing,
 * or the whole browser where there is no shell.
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

/** The path of an installed full browser, with features that the headless shell lacks, such as notifications. */
export function findWholeBrowser(): string | undefined {
	return first(browsers)
}

function first(places: string[]): string | undefined {
	return places.find((path) => existsSync(path))
}

/** The path of the package once it is installed; undefined where it may not be, or cannot be. */
function install(name: string, places: string[]): string | undefined {
	if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
	process.stdout.write(`Installing Chromium for the browser tests (apt-get install ${name}).\n`)
	const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
	spawnSync('apt-get', ['update'], quiet)
	spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], quiet)
	return first(places)
}

/** Flags for machines without a desktop. Chromium's own sandbox is disabled only where it cannot work: as root. */
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
