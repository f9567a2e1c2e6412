// npm run doctor [-- --to ADDRESS]: checks the surroundings of the site and explains what is wrong. Run it as the site's account,
// with the site's settings, while the site runs. Exits with 1 when something is wrong.
import '../server/check-settings.ts'
import { parseArgs } from 'node:util'
import { config } from '~/config.server.ts'
import { pluralize } from '~/lib/text.ts'
import { checkAddress } from './doctor/address.ts'
import { checkBounces } from './doctor/bounces.ts'
import { checkDatabase } from './doctor/database.ts'
import { type Finding, findingsOf } from './doctor/finding.ts'
import { checkArchive, checkDataDirectory, checkDisk, findDataDirFault } from './doctor/machine.ts'
import { checkMail } from './doctor/mail.ts'
import { checkPush } from './doctor/push.ts'
import { checkSavedSecrets } from './doctor/secrets.ts'
import { checkStorage } from './doctor/storage.ts'

const signs = { ok: '✓', warning: '!', fault: '✗' }

try {
	const { values } = parseArgs({ options: { to: { type: 'string' } } })
	process.exitCode = await examine(values.to)
} catch {
	process.stderr.write('Usage: npm run doctor [-- --to ADDRESS]\n')
	process.exitCode = 1
}

/** Runs the checks one after the other and prints their findings. @returns the exit code: 1 where something is wrong */
async function examine(to: string | undefined): Promise<number> {
	const settings = config()
	const checks: [string, () => Promise<Finding[]>][] = [
		['Data directory', () => checkDataDirectory(settings.dataDir)],
		['Disk', () => checkDisk(settings.dataDir)],
		['Continuous archive', () => checkArchive(settings.dataDir)],
		['Database', () => checkDatabase(settings)],
		['Saved secrets', () => checkSavedSecrets(settings)],
		['Storage of pictures', () => checkStorage(settings)],
		['PUBLIC_URL', () => checkAddress(settings)],
		['Mail', () => checkMail(settings, to)],
		['Mail that comes back', () => checkBounces(settings)],
		['Push', () => checkPush(settings)],
	]
	if (await findDataDirFault(settings.dataDir)) checks.splice(1)
	const found: Finding[] = []
	for (const [about, check] of checks)
		for (const finding of await findingsOf(about, check)) {
			found.push(finding)
			process.stdout.write(`${signs[finding.state]} ${finding.about}: ${finding.words}\n`)
		}
	const count = (state: Finding['state']) => found.filter((finding) => finding.state === state).length
	const rest = [pluralize(count('warning'), 'warning'), pluralize(count('fault'), 'problem')].join(', ')
	process.stdout.write(`\n${count('ok')} ok, ${rest}\n`)
	return count('fault') > 0 ? 1 : 0
}
