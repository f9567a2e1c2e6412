// `npm run test:faults [-- PATTERN]`: injects faults into a running site, and counts acknowledged writes. Takes some minutes.
import { spawnSync } from 'node:child_process'
import { buildWhenOld, root } from './support/install.mjs'

buildWhenOld(process.execPath)
const { status } = spawnSync(
	process.execPath,
	['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/faults/vitest.config.ts', ...process.argv.slice(2)],
	{ cwd: root, stdio: 'inherit', env: { ...process.env, NODE_ENV: undefined } },
)
process.exit(status ?? 1)
