// `npm test`: everything that must hold, from format to journeys, and one line of figures at the end.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Tally {
	passed: number
	failed: number
	skipped: number
}

/** What is read of the two runners' JSON reports. */
interface VitestReport {
	numPassedTests: number
	numFailedTests: number
	numPendingTests: number
	numTodoTests: number
	testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[]
}

interface PlaywrightSuite {
	title: string
	specs: { title: string; ok: boolean }[]
	suites?: PlaywrightSuite[]
}

interface PlaywrightReport {
	stats: { expected: number; unexpected: number; flaky: number; skipped: number }
	suites: PlaywrightSuite[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const reports = mkdtempSync(join(tmpdir(), 'devquad-reports-'))
const total: Tally = { passed: 0, failed: 0, skipped: 0 }
const failures: string[] = []

check('format and lint', ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'])
check('route types', ['@react-router/dev/bin.cjs', 'typegen'])
check('types', ['typescript/bin/tsc', '--noEmit'])
check('unused files, exports and dependencies', ['knip/bin/knip.js'])
check('build', ['@react-router/dev/bin.cjs', 'build'], { NODE_ENV: 'production' })
suite(
	'unit and integration tests',
	[
		'vitest/vitest.mjs',
		'run',
		'--reporter=default',
		'--reporter=json',
		`--outputFile.json=${join(reports, 'vitest.json')}`,
	],
	vitestTally,
)
suite('journeys in Chromium', ['@playwright/test/cli.js', 'test'], playwrightTally)

rmSync(reports, { recursive: true, force: true })
// Last, so that whoever sees only the end of a long log sees what failed.
for (const failure of failures) process.stdout.write(`✗ ${failure}\n`)
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
process.exit(total.failed > 0 ? 1 : 0)

/** Runs a checker that says yes or no; it counts as one test. */
function check(name: string, [tool = '', ...args]: string[], env: Record<string, string> = {}): void {
	const { status, stdout, stderr } = run(tool, args, env, 'pipe')
	process.stdout.write(`${status === 0 ? '✓' : '✗'} ${name}\n`)
	if (status === 0) total.passed += 1
	else {
		total.failed += 1
		failures.push(name)
		process.stdout.write(`${stdout}\n${stderr}\n`)
	}
}

/** Runs a test runner and adds up what its report says; a runner that left no report counts as one failure. */
function suite(name: string, [tool = '', ...args]: string[], read: () => Tally): void {
	process.stdout.write(`\n${name}\n`)
	const { status } = run(tool, args, { PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'playwright.json') }, 'inherit')
	const tally = tallyOf(read)
	if (status !== 0 && tally.failed === 0) {
		tally.failed = 1
		failures.push(`${name}: the runner ended with ${status}`)
	}
	for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += tally[key]
}

function run(tool: string, args: string[], env: Record<string, string>, output: 'pipe' | 'inherit') {
	const file = join(root, 'node_modules', tool)
	return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
		cwd: root,
		encoding: 'utf8',
		stdio: ['ignore', output, output],
		env: { ...process.env, NODE_ENV: undefined, ...env },
	})
}

function tallyOf(read: () => Tally): Tally {
	try {
		return read()
	} catch {
		return { passed: 0, failed: 1, skipped: 0 }
	}
}

function vitestTally(): Tally {
	const report: VitestReport = JSON.parse(readFileSync(join(reports, 'vitest.json'), 'utf8'))
	for (const file of report.testResults) {
		for (const test of file.assertionResults) {
			if (test.status === 'failed') failures.push(`${relative(root, file.name)}: ${test.fullName}`)
		}
	}
	return {
		passed: report.numPassedTests,
		failed: report.numFailedTests,
		skipped: report.numPendingTests + report.numTodoTests,
	}
}

function playwrightTally(): Tally {
	const { stats, suites }: PlaywrightReport = JSON.parse(readFileSync(join(reports, 'playwright.json'), 'utf8'))
	failures.push(...suites.flatMap(failedJourneys))
	return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
}

function failedJourneys({ title, specs, suites = [] }: PlaywrightSuite): string[] {
	const failed = specs.filter(({ ok }) => !ok).map((spec) => `${title}: ${spec.title}`)
	return [...failed, ...suites.flatMap(failedJourneys)]
}
