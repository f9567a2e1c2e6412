import { defineConfig } from 'vitest/config'

export default defineConfig({
	resolve: { alias: { '~': new URL('./app', import.meta.url).pathname } },
	test: {
		include: ['**/*.test.ts', '**/*.test.tsx'],
		exclude: ['node_modules', 'build', 'data', 'tests/e2e'],
		globalSetup: './tests/support/postgres.ts',
		setupFiles: './tests/support/setup.ts',
		maxWorkers: 2,
		// Only ends what hangs: a test that is fast alone may wait for its turn on a busy machine.
		testTimeout: 60_000,
		hookTimeout: 60_000,
		expect: { poll: { timeout: 30_000 } },
	},
})
