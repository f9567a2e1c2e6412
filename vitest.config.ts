import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Parts of paths, the longest file last. */
const LONG_FILES = ['/app/platform/db/', '/tests/process/', '/tests/process/chat-history']

/** Files whose tests start, kill and wait for processes begin first, so that the run does not end with one of them. */
class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files)
		const rank = ({ moduleId }: TestSpecification) => LONG_FILES.findLastIndex((part) => moduleId.includes(part))
		return sorted.sort((one, other) => rank(other) - rank(one))
	}
}

export default defineConfig({
	resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
	test: {
		include: ['**/*.test.ts', '**/*.test.tsx'],
		exclude: ['node_modules', 'build', 'data', 'tests/e2e'],
		globalSetup: './tests/support/postgres.ts',
		setupFiles: './tests/support/setup.ts',
		// Tests that kill and wait leave the processors to others most of the time.
		maxWorkers: 6,
		sequence: { sequencer: LongestFirst },
		// Only ends what hangs: a test that is fast alone may wait for its turn on a busy machine.
		testTimeout: 180_000,
		hookTimeout: 180_000,
		expect: { poll: { timeout: 30_000 } },
	},
})
