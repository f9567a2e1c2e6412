import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../scripts/support/free-ports.ts'
import { makeDataDir } from '../support/site-process.ts'

/*
 * The image without Docker: a folder with what the last stage of the Dockerfile copies, and the packages that remain after its `npm
 * uninstall`, in which the commands of that stage run with its environment.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'devquad-image-'))
const [image, dataDir] = [join(folder, 'app'), join(folder, 'data')]
const stages = readFileSync(join(root, 'Dockerfile'), 'utf8').split(/^FROM /m)
const stage = stages.at(-1) ?? ''
/** What only builds: removed after the build. */
const builders =
	/npm uninstall .*?((?: [@a-z]\S*)+)$/m
		.exec(stages.at(-2) ?? '')?.[1]
		?.trim()
		.split(' ') ?? []

/** The JSON list of an instruction, such as CMD. */
function commandOf(instruction: RegExp): string[] {
	const [, list = '[]'] = instruction.exec(stage) ?? []
	return JSON.parse(list) as string[]
}

/** The environment of the stage, with the folder in place of the image's. */
function environment(): Record<string, string> {
	const [, line = ''] = /^ENV (.+)$/m.exec(stage) ?? []
	const set = Object.fromEntries(line.split(' ').map((one) => one.split('=') as [string, string]))
	const path = set.PATH?.replace('/app', image).replace('$PATH', '/usr/bin:/bin') ?? ''
	return { ...set, PATH: path, HOST: '127.0.0.1', DATA_DIR: dataDir, PUBLIC_URL: `http://localhost:${port}` }
}

let port = 0

beforeAll(async () => {
	port = await freePort()
	const copies = [...stage.matchAll(/^COPY --from=build (.+) (\S+)$/gm)].map(([, from = '']) => from.split(' '))
	for (const name of copies.flat().map((path) => path.replace('/app/', '')))
		if (name !== 'node_modules')
			cpSync(join(root, name), join(image, name), { recursive: true, preserveTimestamps: true })
	copyPackages()
	await makeDataDir(dataDir, 'none')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Package {
	dependencies?: Record<string, string>
	devDependencies?: Record<string, string>
	dev?: boolean
	devOptional?: boolean
}

/** The packages that a file of npm lists, by their folders. */
const packagesOf = (file: string) =>
	(JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Package> }).packages

/** Links the packages that remain, with npm's metadata. */
function copyPackages(): void {
	for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, name), join(folder, name))
	execFileSync('npm', ['uninstall', '--package-lock-only', '--offline', ...builders], { cwd: folder, stdio: 'pipe' })
	const kept = Object.entries(packagesOf(join(folder, 'package-lock.json'))).filter(
		([path, { dev }]) => path !== '' && !dev,
	)
	for (const [path] of kept) {
		if (/node_modules\/.*node_modules\//.test(path) || !existsSync(join(root, path))) continue
		mkdirSync(dirname(join(image, path)), { recursive: true })
		symlinkSync(join(root, path), join(image, path))
	}
	writeFileSync(join(image, 'node_modules/.package-lock.json'), JSON.stringify({ packages: Object.fromEntries(kept) }))
}

const run = (script: string, ...args: string[]) =>
	execFileSync('node', ['scripts/run.mjs', script, ...args], {
		cwd: image,
		env: environment(),
		encoding: 'utf8',
		stdio: 'pipe',
	})

test('the last stage is sufficient: it starts without installing or building, is healthy, and can be backed up', async () => {
	const [program = '', ...args] = commandOf(/^CMD (\[.*\])$/m)
	const env = { ...environment(), PORT: String(port) }
	const site = spawn(program, args, { cwd: image, env, stdio: ['ignore', 'pipe', 'pipe'] })
	const ended = once(site, 'exit')
	let output = ''
	const served = new Promise<void>((resolve, reject) => {
		for (const stream of [site.stdout, site.stderr])
			stream.on('data', (chunk) => {
				output += chunk
				if (output.includes('Press Ctrl-C')) resolve()
			})
		site.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${output}`)))
	})
	try {
		await served
		expect(output).not.toMatch(/Installing|Building/)
		expect((await fetch(`http://127.0.0.1:${port}/forum`)).status).toBe(200)
		const [node = '', ...check] = commandOf(/^HEALTHCHECK .*CMD (\[.*\])$/m).map((part) =>
			part.replace('3000', String(port)),
		)
		execFileSync(node, check, { env })
		run('scripts/backup.ts', '--to', folder, '--no-verify')
		expect(readdirSync(folder).some((name) => name.endsWith('.tar.zst'))).toBe(true)
	} finally {
		site.kill('SIGTERM')
		await ended.catch(() => {})
	}
	expect(site.exitCode).toBe(0)
})

test('it lacks what only the build imports, and the tools of tests that npm keeps in spite of --omit=dev', () => {
	const packages = packagesOf(join(root, 'package-lock.json'))
	const { dependencies = {}, devDependencies = {} } = packages[''] ?? {}
	const files = ['vite.config.ts', 'react-router.config.ts', 'app/routes.ts', 'app/app.css']
	const building = files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n')
	const unneeded = [
		...Object.keys(dependencies).filter((name) => building.match(`(from|@import) ['"]${name}['"/]`)),
		...Object.keys(devDependencies).filter((name) => packages[`node_modules/${name}`]?.devOptional),
	]
	expect(unneeded).toEqual(expect.arrayContaining(['vite', 'typescript']))
	const left = packagesOf(join(image, 'node_modules/.package-lock.json'))
	expect(unneeded.filter((name) => `node_modules/${name}` in left)).toEqual([])
})

test('every package outside the build can be loaded, and a preparation fails where one is missing, as a builder is here', () => {
	const names = JSON.parse(readFileSync(join(image, 'build/server/not-bundled.json'), 'utf8')) as string[]
	const imports = names.filter((name) => !builders.includes(name)).map((name) => `import '${name}'`)
	const options = { cwd: image, env: environment(), encoding: 'utf8', stdio: 'pipe' } as const
	execFileSync('node', ['--input-type=module', '--eval', imports.join('\n')], options)
	const prepared = spawnSync('node', ['scripts/start.mjs', '--prepare'], options)
	expect([prepared.status, prepared.stderr]).toEqual([1, expect.stringContaining("Cannot find package 'vite'")])
})
