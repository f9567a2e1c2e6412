import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { makeRunFolder } from '../../tests/support/run-folder.ts'
import { keepTemplates } from '../../tests/support/site-template.ts'
import { root } from './install.mjs'

export interface Tally {
	passed: number
	failed: number
	skipped: number
}

/** Node's compile cache: the tests start some hundred processes that load the same modules. */
const compileCache = join(root, 'node_modules', '.cache', 'compiled')

/** Remembers the files whose types were checked, so that a later run checks only what has changed and what depends on it. */
const checkedTypes = ['--incremental', '--tsBuildInfoFile', join(root, 'node_modules', '.cache', 'types.tsbuildinfo')]

/** The parts of the two runners' JSON reports that are read. */
interface VitestReport {
	numPassedTests: number
	numFailedTests: number
	numPendingTests: number
	numTodoTests: number
	testResults: {
		name: string
		assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
	}[]
}

interface PlaywrightSuite {
	title: string
	specs: { title: string; ok: boolean; tests: { results: PlaywrightResult[] }[] }[]
	suites?: PlaywrightSuite[]
}

interface PlaywrightResult {
	error?: { message?: string }
	attachments: { name: string; path?: string }[]
}

interface PlaywrightReport {
	stats: { expected: number; unexpected: number; flaky: number; skipped: number }
	suites: PlaywrightSuite[]
}

interface ToolRun {
	/** A file below node_modules, and its arguments. */
	tool: string[]
	env?: Record<string, string | undefined>
	/** Prefix of each line of output; without one, the output is returned instead of printed. */
	prefix?: string
}

/** The checks and test runners of one command, several at a time, with one total. */
export class TestRuns {
	/** Created first, so that everything that follows uses it. */
	private readonly removeRunFolder = makeRunFolder()
	readonly total: Tally = { passed: 0, failed: 0, skipped: 0 }
	private readonly failures: string[] = []
	private readonly reports = mkdtempSync(join(tmpdir(), 'devquad-reports-'))
	private readonly removeTemplates = keepTemplates()

	/** Runs a checker that passes or fails; it counts as one test. */
	async check(name: string, tool: string[], env: Record<string, string> = {}): Promise<boolean> {
		const { status, output } = await run({ tool, env })
		process.stdout.write(`${status === 0 ? '✓' : '✗'} ${name}\n`)
		if (status === 0) this.total.passed += 1
		else {
			this.total.failed += 1
			this.failures.push(name)
			process.stdout.write(`${output}\n`)
		}
		return status === 0
	}

	/** Generates the types of the routes, and checks all types. */
	async checkTypes(): Promise<void> {
		if (await this.check('route types', ['@react-router/dev/bin.cjs', 'typegen']))
			// Several checkers repeat each other's work, so only one is used beside other checks.
			await this.check('types', ['typescript/bin/tsc', '--noEmit', '--checkers', '1', ...checkedTypes])
	}

	/** Runs Vitest, on everything or with these arguments. */
	async vitest(args: string[] = [], env: Record<string, string> = {}): Promise<void> {
		const report = join(this.reports, `vitest-${this.reportCount++}.json`)
		const tool = ['vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
		const { status } = await run({ tool: [...tool, ...args], env, prefix: 'tests    │ ' })
		this.add('tests', status, () => this.readVitest(report))
	}

	/** Runs Playwright, on everything or with these arguments. */
	async playwright(args: string[] = []): Promise<void> {
		const report = join(this.reports, `playwright-${this.reportCount++}.json`)
		const tool = ['@playwright/test/cli.js', 'test', ...args]
		const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report }
		const { status } = await run({ tool, env, prefix: 'journeys │ ' })
		this.add('journeys', status, () => this.readPlaywright(report))
	}

	/** Counts a failure of the command itself. */
	fail(message: string): void {
		this.total.failed += 1
		this.failures.push(message)
	}

	/**
	 * Prints failures and totals, last, so that they are at the end of a long log.
	 * @returns the exit code: 1 if anything failed or nothing ran
	 */
	finish(): number {
		rmSync(this.reports, { recursive: true, force: true })
		this.removeTemplates()
		this.removeRunFolder()
		const { passed, failed, skipped } = this.total
		for (const failure of this.failures) process.stdout.write(`✗ ${failure}\n`)
		process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
		return failed > 0 || passed === 0 ? 1 : 0
	}

	private reportCount = 0

	/** A runner that left no report, or exited with an error without naming a failure, counts as one failure. */
	private add(name: string, status: number, read: () => Tally): void {
		let tally: Tally
		try {
			tally = read()
		} catch {
			tally = { passed: 0, failed: 0, skipped: 0 }
			status ||= 1
		}
		if (status !== 0 && tally.failed === 0) {
			tally.failed = 1
			this.failures.push(`${name}: the runner ended with ${status}`)
		}
		for (const key of ['passed', 'failed', 'skipped'] as const) this.total[key] += tally[key]
	}

	private readVitest(file: string): Tally {
		const report: VitestReport = JSON.parse(readFileSync(file, 'utf8'))
		for (const { name, assertionResults } of report.testResults)
			for (const test of assertionResults)
				if (test.status === 'failed')
					this.failures.push(`${relative(root, name)}: ${test.fullName}${briefly(test.failureMessages[0])}`)
		return {
			passed: report.numPassedTests,
			failed: report.numFailedTests,
			skipped: report.numPendingTests + report.numTodoTests,
		}
	}

	private readPlaywright(file: string): Tally {
		const { stats, suites }: PlaywrightReport = JSON.parse(readFileSync(file, 'utf8'))
		for (const { name, reason, page } of suites.flatMap(failedJourneys)) {
			this.failures.push(name + reason)
			process.stdout.write(`\nThe page at the end of ${name}:\n${page}\n`)
		}
		return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
	}
}

interface Failure {
	name: string
	reason: string
	page: string
}

/** Lines of a failure's message that the totals repeat, for readers of only the end of a log. */
const MAX_MESSAGE_LINES = 12

/** The beginning of a failure's message, with the lines of the project that led there, indented, below its name. */
function briefly(message = ''): string {
	const lines = stripVTControlCharacters(message).split('\n')
	const ours = lines.filter(
		(line) => line.trim() !== '' && !/\/node_modules\/|^\s+at [^/]*(<anonymous>|node:)/.test(line),
	)
	const shown = ours.slice(0, MAX_MESSAGE_LINES)
	return shown.map((line) => `\n    ${line}`).join('')
}

/** The journeys that failed, why, and what their page showed at that time. */
function failedJourneys({ title, specs, suites = [] }: PlaywrightSuite): Failure[] {
	const failed = specs.filter(({ ok }) => !ok)
	const own = failed.map((spec) => {
		const results = spec.tests.flatMap(({ results }) => results)
		const attachments = results.flatMap((result) => result.attachments)
		const reason = briefly(results.find(({ error }) => error)?.error?.message)
		const context = attachments.find(({ name }) => name === 'error-context')?.path
		const [, page] = /```yaml\n(.*?)```/s.exec(context ? readFileSync(context, 'utf8') : '') ?? []
		return { name: `${title}: ${spec.title}`, reason, page: page ?? '(nothing could be read of it)' }
	})
	return [...own, ...suites.flatMap(failedJourneys)]
}

/** Runs a tool of the project until it ends. @returns its exit code, and its output unless that was printed */
async function run({ tool, env = {}, prefix }: ToolRun): Promise<{ status: number; output: string }> {
	const [file = '', ...args] = tool
	const program = join(root, 'node_modules', file)
	// A runner's processes inherit the flags: with more space for new objects, the garbage collector copies less.
	const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64']
	const child = spawn(process.execPath, [...flags, program, ...args], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...process.env, NODE_ENV: undefined, NODE_COMPILE_CACHE: compileCache, ...env },
	})
	let output = ''
	for (const stream of [child.stdout, child.stderr]) {
		if (prefix === undefined) stream.on('data', (chunk) => (output += chunk))
		else createInterface(stream).on('line', (line) => process.stdout.write(`${prefix}${line}\n`))
	}
	const status = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)))
	return { status, output }
}
