import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { network } from '~/features/accounts/limits.server.ts'
import { TooMany } from '~/lib/errors.ts'
import { parseInput } from '~/lib/parse.server.ts'
import { remember } from '~/lib/remember.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { previewInput } from '../forum.schema.ts'
import { tagsOf } from '../tag-names.ts'
import { cookDescription } from './texts.server.ts'

/**
 * Previews in a minute of one member, and of one address, which a whole lecture hall may share. What is guarded is the time
 * of this process, so each process counts for itself.
 */
const limiters = remember('preview-limits', () => ({
	member: new RateLimiterMemory({ points: 60, duration: 60 }),
	address: new RateLimiterMemory({ points: 300, duration: 60 }),
}))

/**
 * A description as its page will show it: cooked as publishing cooks it, and stored nowhere.
 * @param input `description`; `tags` as typed, as they name the language of plain code blocks
 * @param ip where the request came from
 * @throws Invalid when it is too long, TooMany
 */
export async function previewDescription(viewer: Viewer, ip: string, input: unknown): Promise<{ html: string }> {
	const { description, tags } = parseInput(previewInput, input)
	await count(viewer, ip)
	const { html } = await cookDescription(description, tagsOf(tags))
	return { html }
}

async function count(viewer: Viewer, ip: string): Promise<void> {
	const { member, address } = limiters
	try {
		await (viewer ? member.consume(viewer.id) : address.consume(network(ip)))
	} catch (refusal) {
		if (!(refusal instanceof RateLimiterRes)) throw refusal
		throw new TooMany('Too many previews. Wait a minute, then try again.', refusal.msBeforeNext / 1_000)
	}
}
