/*
 * `npm test`: all checks and tests, from format to journeys, with one line of totals at the end. `npm test -- PATTERN …`: the tests
 * and journeys whose file or name matches, without the other checks.
 */
import { findTests, matchingTests } from './support/find-tests.ts'
import { buildWhenOld } from './support/install.mjs'
import { TestRuns } from './support/test-runs.ts'

const patterns = process.argv.slice(2)
const runs = new TestRuns()
await (patterns.length > 0 ? runMatching() : runAll())
process.exit(runs.finish())

async function runAll(): Promise<void> {
	const types = runs.checkTypes()
	const [isBuilt] = await Promise.all([
		runs.check('build', ['@react-router/dev/bin.cjs', 'build'], { NODE_ENV: 'production' }),
		runs.check('format and lint', ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.']),
	])
	await Promise.all([
		types.then(() => runs.check('unused files, exports and dependencies', ['knip/bin/knip.js'])),
		// The first test files mostly wait.
		isBuilt && runs.vitest(),
	])
	// Not beside the other tests, which use all available processors.
	if (isBuilt) await runs.playwright()
}

async function runMatching(): Promise<void> {
	const nothing = `No test and no journey matches ${patterns.join(' ')}.`
	const { files, name } = matchingTests(findTests(), patterns)
	if (files.length === 0) return runs.fail(nothing)
	const journeys = files.filter((file) => file.startsWith('tests/e2e/'))
	const others = files.filter((file) => !file.startsWith('tests/e2e/'))
	const runsSite = journeys.length > 0 || others.some((file) => file.startsWith('tests/process/'))
	if (runsSite) buildWhenOld(process.execPath)
	if (others.length > 0) await runs.vitest([...others, ...(name ? ['-t', name, '--passWithNoTests'] : [])])
	// Playwright takes regular expressions, where a dot is any character.
	const asPatterns = journeys.map((file) => file.replaceAll('.', '\\.'))
	if (journeys.length > 0)
		await runs.playwright([...asPatterns, ...(name ? ['--grep', name, '--pass-with-no-tests'] : [])])
	if (runs.total.passed + runs.total.failed === 0) runs.fail(nothing)
}
