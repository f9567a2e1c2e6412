import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * A data directory on which the build has started once. A site that starts on a copy makes neither a PostgreSQL cluster nor the demo
 * content, which takes 1.4 seconds of the processor's time without and 7.5 with that content.
 */

/**
 * Has the sites of this run, and of its child processes, start on copies. The first test that needs one makes it.
 * @returns what removes them
 */
export function keepTemplates(): () => void {
	if (process.env.TEST_TEMPLATES) return () => {}
	const folder = mkdtempSync(join(tmpdir(), 'devquad-templates-'))
	process.env.TEST_TEMPLATES = folder
	return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * Fills a data directory with a copy, unless there is something in it already, or the run has no templates.
 * @param seed SEED of the site
 * @param make starts a site on an empty folder and stops it
 */
export async function fillFromTemplate(
	dataDir: string,
	seed: string,
	make: (folder: string) => Promise<unknown>,
): Promise<void> {
	const templates = process.env.TEST_TEMPLATES
	if (!templates || (existsSync(dataDir) && readdirSync(dataDir).length > 0)) return
	const template = join(templates, seed)
	while (!existsSync(template)) await makeTemplate(template, make)
	mkdirSync(dataDir, { recursive: true })
	// With owners and modes: PostgreSQL's part may belong to an account of its own.
	execFileSync('cp', ['-a', `${template}/.`, dataDir])
}

/** Makes it, or waits for a moment where another process is about to. */
async function makeTemplate(template: string, make: (folder: string) => Promise<unknown>): Promise<void> {
	const unfinished = `${template}-unfinished`
	try {
		mkdirSync(unfinished)
	} catch {
		await sleep(100)
		return
	}
	try {
		await make(unfinished)
		// The copies are lost with the machine anyway; a process that is killed loses nothing by it.
		appendFileSync(join(unfinished, 'postgres', 'postgresql.conf'), 'fsync = off\nfull_page_writes = off\n')
		// Where the socket was, if not in the data directory: each copy has its own.
		rmSync(join(unfinished, 'postgres-socket.path'), { force: true })
		renameSync(unfinished, template)
	} finally {
		rmSync(unfinished, { recursive: true, force: true })
	}
}
