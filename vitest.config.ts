import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Parts of paths, the longest file last. */
const LONG_FILES = [
	'/app/platform/backup/',
	'/app/features/backups/',
	'/app/platform/db/',
	'/tests/process/',
	'/tests/process/chat-history',
]

/** Files whose tests start, kill and wait for processes begin first, so that the run does not end with one of them. */
class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files)
		const rank = ({ moduleId }: TestSpecification) => LONG_FILES.findLastIndex((part) => moduleId.includes(part))
		return sorted.sort((one, other) => rank(other) - rank(one))
	}
}

const resolve = { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } }

const everyFile = {
	setupFiles: './tests/support/setup.ts',
	// Only ends what hangs: a test that is fast alone may wait for its turn on a busy machine.
	testTimeout: 400_000,
	hookTimeout: 400_000,
	expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
	resolve,
	test: {
		globalSetup: './tests/support/postgres.ts',
		// Tests that kill and wait leave the processors to others most of the time.
		maxWorkers: 6,
		// Each file loads the project's modules anew. With V8's own 16 MB for new objects, its collector takes a sixth of the processor's time.
		execArgv: ['--max-semi-space-size=64'],
		sequence: { sequencer: LongestFirst },
		projects: [
			{
				resolve,
				// Each file in a process of its own: what a test that fails leaves running ends with it.
				test: {
					...everyFile,
					name: 'processes',
					include: ['tests/process/*.test.ts'],
					exclude: ['tests/process/*.db.test.ts'],
				},
			},
			{
				resolve,
				// They load much of the project to fill the database of a site, and stop the site themselves.
				test: { ...everyFile, name: 'sites', include: ['tests/process/*.db.test.ts'], isolate: false },
			},
			{
				resolve,
				test: {
					...everyFile,
					name: 'modules',
					include: ['**/*.test.ts', '**/*.test.tsx'],
					exclude: ['node_modules', 'build', 'data', 'tests/e2e', 'tests/process'],
					// A process runs many files. Each loads the project's modules anew, see setup.ts; packages are loaded once.
					isolate: false,
				},
			},
		],
	},
})
