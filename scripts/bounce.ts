// npm run bounce [-- RECIPIENT] < MESSAGE: processes a bounce that a mail server on this machine delivers (docs/self-hosting.md).
// RECIPIENT is the address that it was delivered to.
import { buffer } from 'node:stream/consumers'
import { receiveReportMessage } from '~/features/bounces/receiving.server.ts'
import { DomainError, Unavailable } from '~/lib/errors.ts'
import { withRunningSite } from './support/site.ts'

/** The exit code for “try again later” (EX_TEMPFAIL of sysexits.h). Any other failure would make the mail server bounce the bounce. */
const TRY_LATER = 75

try {
	const message = await buffer(process.stdin)
	const isNews = await withRunningSite(() => receiveReportMessage(message, process.argv[2]))
	process.stdout.write(isNews ? 'Noted.\n' : 'It brings no news.\n')
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exitCode = error instanceof DomainError && !(error instanceof Unavailable) ? 0 : TRY_LATER
}
