import { defineConfig } from '@playwright/test'
import { chromiumFlags, findChromium } from './scripts/support/chromium.ts'

export default defineConfig({
	testDir: 'tests/e2e',
	globalSetup: './tests/e2e/support/site.ts',
	outputDir: 'test-results',
	workers: 1,
	retries: 0,
	timeout: 60_000,
	forbidOnly: true,
	reporter: [['list'], ['json', { outputFile: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? 'test-results/report.json' }]],
	use: {
		viewport: { width: 1280, height: 800 },
		launchOptions: { executablePath: findChromium(), args: chromiumFlags() },
		// Without pictures: on two cores drawing one for each frame takes a third of the time.
		trace: { mode: 'retain-on-failure', screenshots: false },
	},
})
