/*
 * `npm run test:quick [-- --all]`: types, lint, and the unit and database tests of what changed, in less than two minutes. On a
 * branch, that is everything since it left main; on main, what is not committed. No build, no site, no browser.
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { root } from './support/install.mjs'
import { TestRuns } from './support/test-runs.ts'

const { all } = parseArgs({ options: { all: { type: 'boolean', default: false } } }).values
const base = all ? '' : (git('merge-base', 'HEAD', 'main') ?? git('merge-base', 'HEAD', 'origin/main') ?? 'HEAD')
const runs = new TestRuns()
// Files without imports: a changed table or tool may break any test.
const touchesAll =
	all || /^(migrations\/|package-lock\.json|tsconfig|tests\/support\/(setup|postgres)\.ts)/m.test(changedFiles(base))
await Promise.all([
	runs.checkTypes(),
	runs.check('format and lint', ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.']),
	runs.vitest([
		'--project=modules',
		...(touchesAll ? [] : [`--changed=${base}`, '--passWithNoTests']),
		'--maxWorkers=4',
	]),
])
process.stdout.write(touchesAll ? '\nAll tests but those of processes and the journeys.\n' : changeLine())
process.exit(runs.finish())

function changedFiles(since: string): string {
	return [git('diff', '--name-only', since), git('ls-files', '--others', '--exclude-standard')].join('\n')
}

function changeLine(): string {
	const count = changedFiles(base).split('\n').filter(Boolean).length
	return `\nThe tests of ${count} changed ${count === 1 ? 'file' : 'files'} since ${base.slice(0, 8)}. \`-- --all\` runs the others too.\n`
}

/** @returns git's output, or null where it fails, as in a folder that is no repository */
function git(...args: string[]): string | null {
	try {
		return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
	} catch {
		return null
	}
}
