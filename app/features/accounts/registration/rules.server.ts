import { attemptLimits } from '~/features/rate-limits/limits.server.ts'
import { type AttemptCounters, countAttempt, getAttemptCounts } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { requireDomains } from '~/lib/mail-domains.ts'
import { networkOf, wideNetworkOf } from '~/lib/networks.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { checkProof, newChallenge } from '~/platform/proof/proof.server.ts'
import { checkboxSetting, choiceSetting, domainsSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

/** The settings that say who may register. */
export const registrationSection = settingSection({
	name: 'registration',
	title: 'Who may register',
	about: 'Everybody, people with an address at certain domains, invited people, or nobody.',
	settings: {
		mode: choiceSetting({
			label: 'Who may register',
			hint: 'Create invitations at Administration, Invitations. They work unless nobody may register.',
			default: 'open',
			choices: [
				{ value: 'open', label: 'Everybody; if domains are named below, everybody with an address there' },
				{ value: 'invited', label: 'Only invited people' },
				{ value: 'closed', label: 'Nobody' },
			],
		}),
		domains: domainsSetting({
			label: 'Domains of addresses',
			hint: 'Separated by commas, such as eastmere.example. Subdomains count too. Leave it empty to allow any.',
			environment: 'ALLOWED_EMAIL_DOMAINS',
		}),
		doModeratorsInvite: checkboxSetting({ label: 'Moderators may make links to invite people, too' }),
	},
	check: async ({ domains }) => requireDomains('domains', domains),
})

/** The current rules for registration. */
export function registrationSettings() {
	return siteSettings(registrationSection)
}

/** The notice where nobody may register without an invitation, or nobody at all; null where people may. */
export function registrationNotice(): string | null {
	const { mode } = registrationSettings()
	if (mode === 'closed') return 'Nobody can register here at the moment.'
	return mode === 'invited' ? 'You need an invitation to register here. Open the link in it.' : null
}

/** Requires that invitations work. @throws NotAllowed where nobody may register */
export function requireInvitesEnabled(): void {
	if (registrationSettings().mode === 'closed') throw new NotAllowed(registrationNotice() ?? '')
}

/*
 * Protection against mass registration without a third party: a hidden field, and a proof of work, which is required once many have
 * registered from one address or network.
 */

/** The name of the hidden field. */
export const HONEYPOT_FIELD = 'website'

/** Registrations from one address, and from one network, before a proof is required: enough for a lecture hall at once. */
const FREE_OF_PROOF = {
	address: attemptLimits['register-address'].free,
	network: attemptLimits['register-network'].free,
}

/** Rejects a form whose hidden field is filled. @throws Invalid */
export function requireEmptyHoneypot(form: FormData): void {
	if ((form.get(HONEYPOT_FIELD) ?? '') === '') return
	throw new Invalid('A hidden field was filled in. Turn off autofill for this page and try again.')
}

/** A challenge for the next registration from this address; null while none is required. */
export async function challengeFor(address: string): Promise<string | null> {
	return (await isProofNeeded(address, 1)) ? newChallenge() : null
}

/**
 * Counts a registration, and requires a proof of work where needed; each proof counts once. A browser without scripts waits half a
 * minute instead. A registration refused for its proof is not counted for the network, but separately.
 * @param counters of the account and the address
 * @throws NotAllowed with what to do, TooManyRequests
 */
export async function countRegistration(
	counters: AttemptCounters,
	address: string,
	sent: { challenge?: unknown; proof?: unknown },
): Promise<void> {
	const challenge = String(sent.challenge ?? '')
	const weight = checkProof(challenge, String(sent.proof ?? ''))
	if (weight === 'done' || weight === 'waited') return countAttempt([...counters, ['register-proof', challenge]])
	let isUnproven = false
	try {
		// Each is counted before the check, so that concurrent registrations cannot skip the proof.
		await countAttempt(counters, async (trx) => {
			isUnproven = await isProofNeeded(address, 0, trx)
			if (!isUnproven) return
			const what = weight === 'early' ? 'Wait half a minute, then press' : 'Press'
			throw new NotAllowed(`Many people have just registered from your network. ${what} Register again.`)
		})
	} catch (error) {
		if (isUnproven) await countAttempt([['register-unproven', networkOf(address)]])
		throw error
	}
}

/** @param more registrations in addition to those that were counted */
async function isProofNeeded(address: string, more: number, executor?: Executor): Promise<boolean> {
	const counters = [
		['register-address', networkOf(address)],
		['register-network', wideNetworkOf(address)],
	] as const
	const [near = 0, wide = 0] = await getAttemptCounts(counters, executor)
	return near + more > FREE_OF_PROOF.address || wide + more > FREE_OF_PROOF.network
}
