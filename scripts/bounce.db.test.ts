import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { childEnvironment, config } from '~/config.server.ts'
import { getAddressProblems } from '~/features/bounces/bounces.server.ts'
import { makeMember } from '../tests/factories/forum.ts'
import { useDatabase } from '../tests/support/database.ts'
import { pathTo, reportOn } from '../tests/support/mail-reports.ts'
import { testDatabaseUrl } from '../tests/support/members-site.ts'

useDatabase()

/** Pipes a message to the script as a mail server does. */
async function pipe(message: Buffer, recipient: string, settings: Record<string, string>) {
	const { dataDir } = config()
	const command = ['--import', './scripts/support/alias.mjs', 'scripts/bounce.ts', recipient]
	const child = spawn(process.execPath, command, {
		env: childEnvironment({ DATA_DIR: dataDir, MAIL_BOUNCE_ADDRESS: 'bounces@quad.example', ...settings }),
	})
	child.stdin.end(message)
	const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
	return [said.trim(), code]
}

test('a piped bounce is recorded, other mail is dropped, and without the database the mail server retries later', async () => {
	config().MAIL_BOUNCE_ADDRESS = 'bounces@quad.example'
	const mira = { ...(await makeMember('mira')), email: 'mira@campus.example' }
	const report = reportOn('postfix', { path: 'somebody@else.example', email: mira.email })
	const DATABASE_URL = await testDatabaseUrl()
	expect(await pipe(report, pathTo(mira), { DATABASE_URL })).toEqual(['Noted.', 0])
	expect(await getAddressProblems(mira.id)).toHaveLength(1)
	expect(await pipe(Buffer.from('Subject: Hello\r\n\r\nHello'), pathTo(mira), { DATABASE_URL })).toEqual(['', 0])
	expect(await pipe(report, pathTo(mira), { DATABASE_URL: 'postgresql://site@127.0.0.1:1/none' })).toEqual(['', 75])
})
