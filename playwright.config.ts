import { defineConfig } from '@playwright/test'
import { chromiumFlags, findChromium } from './scripts/support/chromium.ts'

/**
 * Pages live for seconds here: what V8 spends on compiling their scripts to fast code, up to a third of a page's processor time,
 * never pays. Benchmarks measure a browser without this.
 */
const shortLived = '--js-flags=--no-opt --no-maglev'

/**
 * What the browser of most journeys does without. Each page opens as about:blank, and the policy of the site for openers would give it a
 * second process with its first address (docs/decisions/0116). The browser reads the last list only, so this repeats what concerns the
 * journeys in that of Playwright.
 */
const disabledFeatures = [
	...['CrossOriginOpenerPolicy', 'AimEnabled'],
	...['AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose'],
	...['HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'MediaRouter', 'NetworkTimeServiceQuerying'],
	...['OptimizationHints', 'PaintHolding', 'PreconnectToSearch', 'ThirdPartyStoragePartitioning'],
]
const launch = [...chromiumFlags(), shortLived]

/** The first two take minutes, half of them of the processor's time; the third mostly waits for a slow network. */
const longest = ['widths.spec.ts', 'xss.spec.ts', 'slow-phone.spec.ts']

export default defineConfig({
	testDir: 'tests/e2e',
	outputDir: 'test-results',
	// Each has a site of its own, and a browser; some journeys wait for a network that is slow or away on purpose.
	workers: 4,
	retries: 0,
	// Both only end what hangs: a page that is there at once alone may wait for its turn on a busy machine.
	timeout: 900_000,
	expect: { timeout: 30_000 },
	forbidOnly: true,
	// The longest files are first, so that none begins when the others end. Each has a worker of its own.
	projects: [
		{ name: 'longest', testMatch: longest },
		{
			name: 'journeys',
			testIgnore: longest,
			use: {
				launchOptions: {
					executablePath: findChromium(),
					args: [...launch, `--disable-features=${disabledFeatures}`],
				},
			},
		},
	],
	reporter: [['list'], ['json', { outputFile: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? 'test-results/report.json' }]],
	use: {
		viewport: { width: 1280, height: 800 },
		// Each journey begins with a browser that is emptied, in place of a new one, which costs 0.15 s more. Playwright empties the HTTP cache
		// through the pages that are open, of which there are none: the files of the build, whose names change with them, stay.
		reuseContext: true,
		// What a worker fetches passes by the routes of a journey; those that need it say so.
		serviceWorkers: 'block',
		// No journey is about motion; drawing its frames takes up to a fifth of the processor's time, and a press waits for its end.
		contextOptions: { reducedMotion: 'reduce' },
		launchOptions: { executablePath: findChromium(), args: launch },
		// Recording takes an eighth of the processor's time; ask for it where a failure is looked into (`--trace on`).
		trace: 'off',
	},
})
