import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { freePort } from '../../scripts/support/free-ports.ts'
import { type SiteProcess, spawnSite, startFirst, startSite } from './site-process.ts'

/**
 * Starts sites for the tests of a file; after each test they are stopped and their folders removed.
 * @param settings defaults of all sites
 */
export function makeSites(settings: Record<string, string>) {
	const sites: Pick<SiteProcess, 'stop'>[] = []
	const folders: string[] = []

	afterEach(async () => {
		for (const site of sites.splice(0)) await site.stop()
		for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
	})

	/** Stops a site after the test that started it otherwise. */
	function keep<Site extends Pick<SiteProcess, 'stop'>>(site: Site): Site {
		sites.push(site)
		return site
	}

	/** An empty data directory. */
	function newDataDir(): string {
		const folder = mkdtempSync(join(tmpdir(), 'devquad-process-'))
		folders.push(folder)
		return folder
	}

	async function start(env: Record<string, string>): Promise<SiteProcess> {
		return keep(await startSite({ ...settings, ...env }))
	}

	/** Starts a site on its data directory as it is. */
	async function startAnew(env: Record<string, string>): Promise<SiteProcess> {
		return keep(await startFirst({ ...settings, ...env }))
	}

	/** Starts a site that exits on its own. @returns its exit code and output */
	async function fails(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
		const site = keep(spawnSite({ SEED: 'none', PORT: String(await freePort()), ...settings, ...env }))
		// Not `exit`, as its workers may write afterwards.
		const [code] = await once(site.child, 'close')
		return { code: code as number | null, output: site.output() }
	}

	return { keep, newDataDir, start, startAnew, fails }
}
