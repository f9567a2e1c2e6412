// Runs a TypeScript file of the project with the Node that the project installs, whatever Node the machine has:
//   node scripts/run.mjs [--with-tools] scripts/import.ts FILE …
// Operators' scripts need only what the site needs; --with-tools also installs the tools of tests and checks. Without a file it only
// installs.
import { spawn } from 'node:child_process'
import { projectNode, root } from './support/install.mjs'

const withTools = process.argv[2] === '--with-tools'
const [file, ...args] = process.argv.slice(withTools ? 3 : 2)
const node = projectNode(withTools)
if (!file) process.exit(0)
const child = spawn(node, ['--import', './scripts/support/alias.mjs', file, ...args], {
	stdio: 'inherit',
	cwd: root,
	env: { ...process.env, DEVQUAD_CWD: undefined, INIT_CWD: process.env.INIT_CWD ?? process.cwd() },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
