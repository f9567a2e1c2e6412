import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSite } from '../../support/site-process.ts'

/** One built site with the demo content for all journeys; its address and data directory are in the environment. */
export default async function setup(): Promise<() => Promise<void>> {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-e2e-'))
	const site = await startSite({ DATA_DIR: dataDir, ADMIN_EMAIL: 'wanda.warden@eastmere.example' })
	process.env.SITE_URL = site.url
	process.env.SITE_DATA_DIR = dataDir
	return async () => {
		await site.stop()
		rmSync(dataDir, { recursive: true, force: true })
	}
}
