import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** `npm run test:faults`: tests that take minutes, break things on purpose, and need a build. One file after the other. */
export default mergeConfig(
	{ ...base, test: { ...base.test, include: undefined, projects: undefined } },
	defineConfig({
		root: fileURLToPath(new URL('../..', import.meta.url)),
		test: { include: ['tests/faults/*.fault.ts'], maxWorkers: 1, testTimeout: 900_000, hookTimeout: 120_000 },
	}),
)
