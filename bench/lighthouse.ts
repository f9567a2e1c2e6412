// npm run bench:lighthouse -- URL …: Lighthouse's mobile scores for pages of a running site.
import { chromium } from '@playwright/test'
import lighthouse from 'lighthouse'
import { chromiumFlags, findChromium } from '../scripts/support/chromium.ts'
import { freePort } from '../scripts/support/free-ports.ts'

/** Audits whose values are always printed. */
const shown = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'total-byte-weight']

const port = await freePort()
const browser = await chromium.launch({
	executablePath: findChromium(),
	args: [...chromiumFlags(), `--remote-debugging-port=${port}`],
})
try {
	for (const url of process.argv.slice(2)) {
		const result = await lighthouse(url, { port, output: 'json', logLevel: 'error' })
		if (!result) throw new Error(`Lighthouse gave no result for ${url}.`)
		const scores = Object.values(result.lhr.categories).map(
			({ title, score }) => `${title} ${Math.round((score ?? 0) * 100)}`,
		)
		process.stdout.write(`${url}: ${scores.join(', ')}\n`)
		const { audits, categories } = result.lhr
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
} finally {
	await browser.close()
}
