import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

test.runIf(process.platform === 'linux')('a data directory that the system does not create is refused at once', () => {
	// As below an automounter whose disk is missing: the parent is there, and the system says that something is not.
	const code = "import { prepareDataDir } from './server/data-dir.ts'; prepareDataDir('/proc/devquad/data')"
	const args = ['--import', './scripts/support/alias.mjs', '--input-type=module-typescript', '--eval', code]
	const { status, stderr } = spawnSync(process.execPath, args, {
		cwd: root,
		encoding: 'utf8',
		timeout: 20_000,
		killSignal: 'SIGKILL',
	})
	expect(status).toBe(1)
	expect(stderr).toMatch(/The data directory \/proc\/devquad\/data cannot be used: .+ Choose another with DATA_DIR\./)
})
