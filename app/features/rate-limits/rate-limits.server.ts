import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { TooMany } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { pool } from '~/platform/db/db.server.ts'
import { network } from './attempts.server.ts'

/*
 * How often somebody may read and save (decision 39). Attempts to get in are limited in limits.server.ts, posts and messages
 * by the features that store them.
 */

interface Rate {
	/** What was done too often, as the first sentence of the refusal. */
	words: string
	/** Seconds that are counted over. */
	duration: number
	/** Times within the duration, of one member over all devices and tokens. */
	member: number
	/**
	 * Times of all visitors at one address (of IPv6, one /64), which a whole campus may share; null where visitors are
	 * refused anyway.
	 */
	address: number | null
	/**
	 * Where a member's times are counted. `process`: in the memory of each process, so that a site of n processes allows up to
	 * n times as much; it spares the machine. `site`: in PostgreSQL, for all processes; it protects what is stored.
	 */
	counted: 'process' | 'site'
	/**
	 * How many times a process takes from the site's counter at once: one statement in so many times. What is left of it when
	 * the time is over is lost, so a member who meets n processes may have (n - 1) × (block - 1) times less.
	 */
	block?: number
}

const MINUTE = 60
const HOUR = 3_600

/** Every limit of reading and saving, by name. Figures: issue 10 of the project and its review of scraping (E1, E6). */
export const rates = {
	/** Pages that are rendered for this request, and their data; pages from the cache of visitors are not counted. */
	pages: { words: 'You opened many pages', duration: MINUTE, member: 600, address: 600, counted: 'process' },
	/** Profiles of others, as page, data or JSON Resume. */
	profiles: {
		words: 'You opened many profiles',
		duration: HOUR,
		member: 1_000,
		address: null,
		counted: 'site',
		block: 20,
	},
	/** The community's list as soon as it is searched, filtered or read on. */
	peopleSearch: {
		words: 'You searched for people many times',
		duration: MINUTE,
		// The list follows what is typed: one search may be a dozen lists.
		member: 120,
		address: 300,
		counted: 'site',
	},
	/** What a text that is being typed may become: people, skills, tags, universities. */
	suggestions: {
		words: 'You asked for many suggestions',
		duration: MINUTE,
		member: 120,
		address: 600,
		counted: 'process',
	},
	/** Questions like the one that is being typed. */
	similar: { words: 'You asked for many suggestions', duration: MINUTE, member: 120, address: 600, counted: 'process' },
	/** “This solved mine” under a similar question. */
	solvedBySimilar: {
		words: 'You marked many questions',
		duration: HOUR,
		member: 30,
		address: 60,
		counted: 'process',
	},
	/** Markdown as it will look. */
	previews: { words: 'You asked for many previews', duration: MINUTE, member: 60, address: 300, counted: 'process' },
	/** Searches in one's own messages. */
	messageSearch: {
		words: 'You searched your messages many times',
		duration: MINUTE,
		member: 60,
		address: null,
		counted: 'process',
	},
	/** Saves of the parts of a profile, its certificates, projects and imports. */
	profileSaves: {
		words: 'You saved your profile many times',
		duration: 10 * MINUTE,
		member: 60,
		address: null,
		counted: 'site',
	},
	/** Edits of questions and comments, each of which keeps the text before it. */
	edits: { words: 'You edited many texts', duration: 10 * MINUTE, member: 60, address: null, counted: 'site' },
	/** What is pressed: votes, follows, mutes, blocks. */
	marks: {
		words: 'You made many changes',
		duration: 10 * MINUTE,
		member: 300,
		address: null,
		counted: 'site',
		block: 10,
	},
} as const satisfies Record<string, Rate>

export type RateName = keyof typeof rates

/** Points that this process took from the site's counter and did not use yet, by rule and member. */
interface Block {
	left: number
	/** Of the clock that only goes forward, in milliseconds. */
	until: number
}

const MAX_BLOCKS = 10_000
const memory = remember('rates', () => ({
	limiters: new Map<string, RateLimiterMemory>(),
	blocks: new Map<string, Block>(),
}))

/**
 * Counts one use, of the member where there is one, else of the address.
 * @param address where the request comes from; without one a visitor is not counted
 * @throws TooMany with the seconds to wait
 */
export async function countUse(name: RateName, viewer: Viewer, address = ''): Promise<void> {
	const rate: Rate = rates[name]
	if (viewer) await countMember(name, rate, viewer.id)
	else if (rate.address !== null && address !== '')
		await unlessOver(rate, inProcess(`${name}:address`, rate.address, rate.duration).consume(network(address)))
}

/** Pictures and what tabs ask by themselves are no pages: one page may ask for dozens of them. */
const noPage = /^\/(?:media|suggest)\/|\/(?:wire|latest)$/
/** The machine that the site runs on, and everybody behind a proxy that TRUST_PROXY does not name: no address of anyone. */
const ownMachine = /^(?:127\.|::1$|::ffff:127\.)/

/** Counts a page that is made for this request. @param path of its address @throws TooMany */
export async function countPage(viewer: Viewer, address: string, path: string): Promise<void> {
	if (noPage.test(path) || (!viewer && ownMachine.test(address))) return
	await countUse('pages', viewer, address)
}

async function countMember(name: RateName, rate: Rate, id: number): Promise<void> {
	if (rate.counted === 'process')
		return void (await unlessOver(rate, inProcess(`${name}:member`, rate.member, rate.duration).consume(String(id))))
	const key = `${name}:${id}`
	const block = memory.blocks.get(key)
	const now = performance.now()
	if (block && block.left > 0 && now < block.until) {
		block.left -= 1
		return
	}
	const size = rate.block ?? 1
	const { msBeforeNext } = await unlessOver(rate, onSite(name, rate).consume(String(id), size))
	if (size === 1) return
	if (memory.blocks.size >= MAX_BLOCKS) memory.blocks.clear()
	memory.blocks.set(key, { left: size - 1, until: now + msBeforeNext })
}

/** @throws TooMany when the counter refused */
async function unlessOver(rate: Rate, counted: Promise<RateLimiterRes>): Promise<RateLimiterRes> {
	return counted.catch((refusal: unknown) => {
		if (!(refusal instanceof RateLimiterRes)) throw refusal
		const minutes = Math.ceil(refusal.msBeforeNext / 60_000)
		const pause = minutes <= 1 ? 'a minute' : `${minutes} minutes`
		throw new TooMany(`${rate.words} in a short time. Wait ${pause}, then try again.`, refusal.msBeforeNext / 1_000)
	})
}

function inProcess(key: string, points: number, duration: number): RateLimiterMemory {
	const known = memory.limiters.get(key)
	if (known) return known
	const limiter = new RateLimiterMemory({ keyPrefix: key, points, duration })
	memory.limiters.set(key, limiter)
	return limiter
}

function onSite(name: RateName, { member, duration }: Rate): RateLimiterPostgres {
	return new RateLimiterPostgres({
		storeClient: pool(),
		tableName: 'rate_limits',
		tableCreated: true,
		keyPrefix: `rate:${name}`,
		clearExpiredByTimeout: false,
		points: member,
		duration,
	})
}
