import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { network } from '~/features/accounts/limits.server.ts'
import { TooMany } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { Viewer } from '~/lib/viewer.ts'

/*
 * Far more than somebody who types can ask for, counted in this process alone: it spares the database, nothing is at stake.
 * A whole campus may share an address, so visitors of one have more between them.
 */
const limiters = remember('similar-limits', () => ({
	ask: {
		member: new RateLimiterMemory({ points: 120, duration: 60 }),
		visitors: new RateLimiterMemory({ points: 600, duration: 60 }),
	},
	help: {
		member: new RateLimiterMemory({ points: 30, duration: 3_600 }),
		visitors: new RateLimiterMemory({ points: 60, duration: 3_600 }),
	},
}))

/**
 * Counts one request for similar questions (`ask`), or one "This solved mine" (`help`).
 * @param address where the request comes from
 * @throws TooMany with the seconds to wait
 */
export async function countSimilar(what: 'ask' | 'help', viewer: Viewer, address: string): Promise<void> {
	const limiter = limiters[what]
	const counted = viewer ? limiter.member.consume(String(viewer.id)) : limiter.visitors.consume(network(address))
	await counted.catch((refusal: RateLimiterRes | Error) => {
		if (refusal instanceof Error) throw refusal
		throw new TooMany('That was quick. Wait a moment, then try again.', refusal.msBeforeNext / 1_000)
	})
}
