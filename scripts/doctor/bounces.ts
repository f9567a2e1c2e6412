import { lookup, resolveMx } from 'node:dns/promises'
import type { Config } from '~/config.server.ts'
import { askDatabase } from './database.ts'
import { errorMessageOf, type Finding, findings, noHost, underlyingCodeOf } from './finding.ts'

const say = findings('Mail that comes back')

/** Addresses with bounces, in number and as a share of all, above which abandoned mailboxes of graduates do not explain them. */
const MANY = 10
const HIGH_SHARE = 0.05

/** Checks whether bounces can be received, and how many addresses have some. @param dns a resolver; by default the machine's */
export async function checkBounces(settings: Config, dns: Dns = { resolveMx, lookup }): Promise<Finding[]> {
	const { SMTP_URL, MAIL_BOUNCE_ADDRESS, MAIL_BOUNCE_SECRET } = settings
	const found: Finding[] = []
	if (MAIL_BOUNCE_ADDRESS) found.push(await checkDomain(MAIL_BOUNCE_ADDRESS, dns))
	else if (SMTP_URL && !MAIL_BOUNCE_SECRET)
		found.push(
			say.warning(
				'Neither MAIL_BOUNCE_ADDRESS nor MAIL_BOUNCE_SECRET is set: the site does not learn of mails that come back later.',
			),
		)
	return [...found, ...(await countReturned(settings))]
}

interface Dns {
	resolveMx: (domain: string) => Promise<unknown[]>
	lookup: (domain: string) => Promise<unknown>
}

async function checkDomain(address: string, dns: Dns): Promise<Finding> {
	const [place, domain = ''] = address.split('@')
	const hint = `Whether ${place}+anything@${domain} is delivered to it cannot be seen from here: send a mail there once.`
	try {
		if ((await dns.resolveMx(domain)).length > 0) return say.ok(`The domain of ${address} takes mail. ${hint}`)
	} catch (error) {
		if (!noHost.test(underlyingCodeOf(error)))
			return say.warning(`DNS does not say whether the domain of ${address} takes mail: ${errorMessageOf(error)}.`)
	}
	const hasAddress = await dns.lookup(domain).then(
		() => true,
		() => false,
	)
	const missing = `${domain}, the domain of MAIL_BOUNCE_ADDRESS, has no MX record in DNS`
	return hasAddress
		? say.warning(`${missing}: mail servers send to its host itself, if that takes mail. ${hint}`)
		: say.fault(`${missing} and no address: no mail that comes back arrives.`)
}

async function countReturned(settings: Config): Promise<Finding[]> {
	const counts = await askDatabase(settings, async (client) => {
		const { rows } = await client.query<{ returned: number; all: number }>(
			`select (select count(*)::int from mail_bounces where marked_at is not null) as returned,
				(select count(*)::int from account_emails) as "all"`,
		)
		return rows[0]
	}).catch(() => undefined)
	// An unavailable database is reported by its own check.
	return counts ? [assessBounces(counts)] : []
}

/** @param returned addresses with bounces @param all addresses of members */
export function assessBounces({ returned, all }: { returned: number; all: number }): Finding {
	if (returned === 0) return say.ok('No mail to a member’s address comes back.')
	const share = returned / Math.max(all, 1)
	const words = `Mail to ${returned} of ${all} addresses of members (${Math.round(share * 1_000) / 10} %) comes back, and they get no notifications; Administration, Members, “Mail comes back” lists them.`
	if (returned < MANY || share < HIGH_SHARE) return say.ok(words)
	return say.warning(
		`${words} So many are a sign that mail servers refuse the site: look at SPF, DKIM and the reasons there.`,
	)
}
