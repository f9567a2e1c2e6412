// npm run bounce [-- RECIPIENT] < MESSAGE: takes in a report on a mail that came back, from a mail server on this machine
// (docs/self-hosting.md). RECIPIENT is the address that it was delivered to.
import { buffer } from 'node:stream/consumers'
import { takeMessage } from '~/features/bounces/taking.server.ts'
import { DomainError, Unavailable } from '~/lib/errors.ts'
import { withSite } from './support/site.ts'

/** What tells a mail server to try again later (EX_TEMPFAIL of sysexits.h). Any other failure would make it report on the report. */
const TRY_LATER = 75

try {
	const message = await buffer(process.stdin)
	const isNews = await withSite(() => takeMessage(message, process.argv[2]), { migrates: false })
	process.stdout.write(isNews ? 'Noted.\n' : 'It brings no news.\n')
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exitCode = error instanceof DomainError && !(error instanceof Unavailable) ? 0 : TRY_LATER
}
