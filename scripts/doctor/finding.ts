import { isSiteFault } from '~/lib/errors.ts'
import { codeOf } from '~/lib/system-errors.ts'

/** The result of one check: fine, noteworthy or wrong. */
export interface Finding {
	about: string
	state: 'ok' | 'warning' | 'fault'
	/** One or two sentences; for a fault, also what to do. */
	words: string
}

/** Makes findings about one subject. */
export function findings(about: string) {
	const say = (state: Finding['state']) => (words: string) => ({ about, state, words })
	return { ok: say('ok'), warning: say('warning'), fault: say('fault') }
}

/** Runs a check; one that throws becomes a fault. */
export async function findingsOf(about: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
	try {
		return await check()
	} catch (error) {
		return [findings(about).fault(`It could not be checked: ${errorMessageOf(error)}.`)]
	}
}

/** The message of an error and its causes, such as “fetch failed: connect ECONNREFUSED”, without a full stop. */
export function errorMessageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	const own = error.message || codeOf(error) || error.name
	const below = error instanceof AggregateError ? error.errors[0] : error.cause
	const text = below === undefined ? own : `${own}: ${errorMessageOf(below)}`
	return text.replace(/\.$/, '')
}

/** The codes by which DNS says that it has no such host. Others say that DNS itself does not answer. */
export const noHost = /^(ENOTFOUND|ENODATA)$/

/** The code of an error or of its cause, such as ENOTFOUND. */
export function underlyingCodeOf(error: unknown): string {
	const code = codeOf(error)
	// Errors of the site have a code for libraries, not that of their cause.
	if (code !== '' && !isSiteFault(error)) return code
	const { cause, errors } = error as { cause?: unknown; errors?: unknown[] }
	const below = cause ?? errors?.[0]
	return below === undefined ? '' : underlyingCodeOf(below)
}

/** Differences between two clocks that are noteworthy, and that are wrong. */
const CLOCK_WARNING_MS = 3_000
const CLOCK_FAULT_MS = 60_000

/** Assesses how far a clock is from this machine's. @param whose such as “the database” @param differenceMs positive when it is ahead */
export function assessClock(about: string, whose: string, differenceMs: number): Finding {
	const say = findings(about)
	const seconds = Math.abs(Math.round(differenceMs / 1_000))
	if (Math.abs(differenceMs) < CLOCK_WARNING_MS) return say.ok(`The clock of ${whose} is that of this machine.`)
	const words = `The clock of ${whose} is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} that of this machine. Have both kept by NTP (timedatectl set-ntp true).`
	return Math.abs(differenceMs) < CLOCK_FAULT_MS ? say.warning(words) : say.fault(words)
}
