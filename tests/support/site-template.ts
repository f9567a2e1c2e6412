import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * A data directory on which the build has started once. A site that starts on a copy creates neither a PostgreSQL cluster nor the demo
 * content, which saves 1.4 seconds of processor time without and 7.5 with that content.
 */

/**
 * Makes the sites of this run, and of its child processes, start on copies of templates. The first test that needs a template creates it.
 * @returns removes the templates
 */
export function keepTemplates(): () => void {
	if (process.env.TEST_TEMPLATES) return () => {}
	const folder = mkdtempSync(join(tmpdir(), 'devquad-templates-'))
	process.env.TEST_TEMPLATES = folder
	return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * Fills a data directory with a copy, unless it is not empty, or the run has no templates.
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
	// With owners and modes: PostgreSQL's files may belong to an account of its own.
	execFileSync('cp', ['-a', `${template}/.`, dataDir])
}

/** Creates the template, or waits briefly while another process does. */
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
		// Nobody needs the copies after a crash of the machine, and a killed process loses no data by this.
		appendFileSync(join(unfinished, 'postgres', 'postgresql.conf'), 'fsync = off\nfull_page_writes = off\n')
		// The path of the socket, if it is outside the data directory: each copy has its own.
		rmSync(join(unfinished, 'postgres-socket.path'), { force: true })
		renameSync(unfinished, template)
	} finally {
		rmSync(unfinished, { recursive: true, force: true })
	}
}
