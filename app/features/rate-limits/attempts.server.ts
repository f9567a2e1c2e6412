import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { TooMany } from '~/lib/errors.ts'
import { db } from '~/platform/db/db.server.ts'
import {
	deleteAttempts,
	type Rule,
	sweepWaysIn,
	takeBackAttempts,
	tryToCount,
	waitLeft,
} from './attempts.queries.server.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** NIST SP 800-63B-4, 3.2.2: at most 100 failed attempts in a row on one account. */
const MAX_GUESSES = 100
const guessWaits = [15 * minute, 15 * minute, 30 * minute]
const growing = [minute, 2 * minute, 4 * minute, 8 * minute, 15 * minute]

/**
 * What is limited. A login from a known device is counted by that device alone: strangers who guess cannot lock its owner
 * out, from whatever address. Any other login is counted for the account, the address and its network. A whole campus may share an
 * address: logins that succeed are taken back, and a lecture hall may register at once.
 */
const rules = {
	'login-account': {
		free: 5,
		waits: [...guessWaits, ...Array<number>(MAX_GUESSES - 5 - guessWaits.length).fill(hour), day],
		forgottenAfter: 7 * day,
	},
	'login-device': { free: 5, waits: growing, forgottenAfter: day },
	'login-address': { free: 50, waits: growing, forgottenAfter: hour },
	'login-network': { free: 250, waits: growing, forgottenAfter: hour },
	'change-password': { free: 5, waits: growing, forgottenAfter: day },
	'register-account': { free: 5, waits: [hour], forgottenAfter: hour },
	'register-address': { free: 30, waits: [20, 30, minute, 2 * minute, 5 * minute], forgottenAfter: 10 * minute },
	'register-network': { free: 150, waits: [20, 30, minute, 2 * minute, 5 * minute], forgottenAfter: 10 * minute },
	'forgot-address': { free: 30, waits: growing, forgottenAfter: hour },
	'reset-link': { free: 10, waits: growing, forgottenAfter: hour },
	'reset-address': { free: 50, waits: growing, forgottenAfter: hour },
	/** Passwords typed where a link of a mail asks for one. */
	'confirm-link': { free: 5, waits: growing, forgottenAfter: day },
	'confirm-address': { free: 50, waits: growing, forgottenAfter: hour },
	/** Mails to university addresses; to one address they are counted with all other mails. */
	'campus-member': { free: 5, waits: [day], forgottenAfter: day },
	'campus-address': { free: 100, waits: growing, forgottenAfter: hour },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

/** What an attempt is counted for: a rule, and the account, device, address or network that it is about. */
export type Counted = readonly (readonly [RuleName, string])[]

/** One in this many attempts sweeps away counters, links and registrations whose time is over. */
const sweepEvery = 100

/**
 * Counts an attempt before it is looked at. One that is refused counts nowhere, so that whoever waits is not slowed further.
 * The counters live in PostgreSQL: a restart or another process forgets nothing, and of many at once no more pass than of
 * one after the other.
 * @throws TooMany with the seconds to wait
 */
export async function countAttempt(counted: Counted): Promise<void> {
	if (Math.random() * sweepEvery < 1) await sweepWaysIn()
	await db()
		.transaction()
		.execute(async (trx) => {
			for (const [name, subject] of counted) {
				const key = keyOf(name, subject)
				if (await tryToCount(trx, key, rules[name])) continue
				const seconds = await waitLeft(trx, key, rules[name])
				throw new TooMany(waitMessage(seconds), seconds)
			}
		})
}

/** Deletes what was counted for these, once somebody has proven who they are. */
export async function resetAttempts(counted: Counted): Promise<void> {
	await deleteAttempts(counted.map(([name, subject]) => keyOf(name, subject)))
}

/** Takes one attempt back from each of these: it succeeded. */
export async function takeBackAttempt(counted: Counted): Promise<void> {
	await takeBackAttempts(counted.map(([name, subject]) => keyOf(name, subject)))
}

/**
 * What stands for the holder of an address: of IPv6 the first 64 bits, as one reader commands all addresses that share them.
 * IPv4 written as IPv6 (`::ffff:192.0.2.1`) is IPv4.
 */
export function network(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
	if (mapped) return mapped
	return isIPv6(address) ? prefixOf(address, 4) : address
}

/** The network round an address, for a looser limit: of IPv6 the first 48 bits, a usual customer's; of IPv4 the first 24. */
export function wideNetwork(address: string): string {
	const holder = network(address)
	if (isIPv6(address) && holder.includes(':')) return prefixOf(address, 3)
	return /^\d+\.\d+\.\d+\.\d+$/.test(holder) ? `${holder.replace(/\.\d+$/, '.0')}/24` : holder
}

/** The first groups of 16 bits of an IPv6 address, with the length of the prefix. */
function prefixOf(address: string, groups: number): string {
	const [head = '', tail = ''] = address.split('%')[0]?.toLowerCase().split('::') ?? []
	const first = head.split(':').filter(Boolean)
	const last = tail.split(':').filter(Boolean)
	const gap = address.includes('::') ? 8 - first.length - last.length : 0
	const all = [...first, ...Array<string>(Math.max(0, gap)).fill('0'), ...last]
	return `${all
		.slice(0, groups)
		.map((group) => group.replace(/^0+(?=.)/, ''))
		.join(':')}::/${groups * 16}`
}

/** Whatever was typed fits the column, also what PostgreSQL takes for no text; and the table lists no addresses. */
function keyOf(name: RuleName, subject: string): string {
	return `${name}:${createHash('sha256').update(subject).digest('base64url')}`
}

function waitMessage(seconds: number): string {
	const units = [
		[day, 'a day', 'days'],
		[hour, 'an hour', 'hours'],
		[minute, 'a minute', 'minutes'],
	] as const
	// From one and a half of a unit on the wait is given in it, rounded up: never shorter than it is.
	const [size, one, many] = units.find(([length]) => seconds > length * 1.5) ?? [1, 'a second', 'seconds']
	const count = Math.ceil(seconds / size)
	return `Too many attempts. Wait ${count === 1 ? one : `${count} ${many}`}, then try again.`
}
