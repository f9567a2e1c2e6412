// `npm start` and `npm run dev`: installs and builds what is missing, then runs server/main.ts and passes signals on.
import { spawn } from 'node:child_process'
import { buildWhenOld, projectNode, root, siteFlags, stop } from './support/install.mjs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19))
	stop(`Node ${process.versions.node} is too old. DevQuad needs 20.19 or newer.`)

const development = process.argv.includes('--dev')
const node = projectNode()
if (!development) buildWhenOld(node)

// The channel to the child tells it when this process is gone, even by SIGKILL.
const child = spawn(node, [...siteFlags(development), 'server/main.ts'], {
	cwd: root,
	stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
	env: { ...process.env, NODE_ENV: development ? 'development' : 'production' },
})
// Ctrl-C reaches the child by itself, as it shares the terminal; the others are sent to this process alone.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'))
child.on('exit', (code) => process.exit(code ?? 1))
