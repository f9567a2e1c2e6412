/*
 * npm run bench:lighthouse -- URL …: Lighthouse's mobile scores for pages of a running site. The packages of Lighthouse have
 * a list of their own, bench/lighthouse, and the first run installs them: they are a third of the files that every clone would install.
 */
import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { chromiumFlags, findChromium } from '../scripts/support/chromium.ts'
import { freePort } from '../scripts/support/free-ports.ts'
import { installPackages, missingPackages, root } from '../scripts/support/install.mjs'

/** What is read of Lighthouse's report. */
type Report = {
	categories: Record<string, { title: string; score: number | null; auditRefs: { id: string; weight: number }[] }>
	audits: Record<string, { title: string; score: number | null; displayValue?: string } | undefined>
}

/** Audits whose values are always printed. */
const shown = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'total-byte-weight']
const folder = join(root, 'node_modules', '.lighthouse')
const command = join(folder, 'node_modules', 'lighthouse', 'cli', 'index.js')
const maxReportBytes = 64 * 1024 * 1024

cpSync(join(root, 'bench', 'lighthouse'), folder, { recursive: true, preserveTimestamps: true })
if (missingPackages(folder).length > 0) {
	process.stdout.write('Installing Lighthouse (npm ci), once.\n')
	installPackages(folder, false)
}

const port = await freePort()
const browser = await chromium.launch({
	executablePath: findChromium(),
	args: [...chromiumFlags(), `--remote-debugging-port=${port}`],
})
try {
	for (const url of process.argv.slice(2)) print(url, await measure(url))
} finally {
	await browser.close()
}

async function measure(url: string): Promise<Report> {
	const options = [`--port=${port}`, '--output=json', '--quiet', '--no-enable-error-reporting']
	const { stdout } = await promisify(execFile)(process.execPath, [command, url, ...options], {
		maxBuffer: maxReportBytes,
	})
	return JSON.parse(stdout)
}

function print(url: string, { categories, audits }: Report): void {
	const scores = Object.values(categories).map(({ title, score }) => `${title} ${Math.round((score ?? 0) * 100)}`)
	process.stdout.write(`${url}: ${scores.join(', ')}\n`)
	const figures = shown.map((id) => `${audits[id]?.title}: ${audits[id]?.displayValue}`)
	process.stdout.write(`  ${figures.join(', ')}\n`)
	for (const category of Object.values(categories)) {
		for (const { id, weight } of category.auditRefs) {
			const audit = audits[id]
			if (weight > 0 && audit && audit.score !== null && audit.score < 0.9)
				process.stdout.write(`  ${id}: ${audit.displayValue ?? audit.title}\n`)
		}
	}
}
