import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/opt/google/chrome/chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The path of an installed Chromium or Chrome; as root on Debian it is installed when there is none.
 * @throws Error with one sentence that says what to install
 */
export function findChromium(): string {
	const found = places.find((path) => existsSync(path))
	if (found) return found
	const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
	if (mayInstall) {
		process.stdout.write('Installing Chromium for the browser tests (apt-get install chromium).\n')
		const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
		spawnSync('apt-get', ['update'], quiet)
		spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], quiet)
	}
	const installed = places.find((path) => existsSync(path))
	if (installed) return installed
	throw new Error(
		'The browser tests need Chromium: install it (on Debian: sudo apt-get install chromium) and run again.',
	)
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
