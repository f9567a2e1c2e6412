import { attemptLimits } from '~/features/rate-limits/limits.server.ts'
import {
	type AttemptCounters,
	countAttempt,
	countedAttempts,
	network,
	wideNetwork,
} from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { newChallenge, weighAnswer } from '~/platform/proof/proof.server.ts'
import { boxSetting, choiceSetting, listSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { requirePasswords } from '../login-methods.server.ts'

/** Who may register, as admins set it. */
export const registrationSection = settingSection({
	name: 'registration',
	title: 'Who may register',
	about: 'Everybody, people with an address of some domains, who is invited, or nobody.',
	settings: {
		mode: choiceSetting({
			label: 'Who may register',
			hint: 'Invitations are made at Administration, Invitations. They work unless nobody may register.',
			default: 'open',
			choices: [
				{ value: 'open', label: 'Everybody; where domains are named below, whoever has an address there' },
				{ value: 'invited', label: 'Only who is invited' },
				{ value: 'closed', label: 'Nobody' },
			],
		}),
		domains: listSetting({
			label: 'Domains of addresses',
			hint: 'Such as eastmere.example, with commas between them. Addresses below a domain count too. Empty for any.',
			environment: 'ALLOWED_EMAIL_DOMAINS',
		}),
		doModeratorsInvite: boxSetting({ label: 'Moderators may make links to invite people, too' }),
	},
})

/** Who may register now. */
export function whoMayRegister() {
	return siteSettings(registrationSection)
}

/** What is said where nobody registers without an invitation, or nobody at all; null where people do. */
export function registrationNotice(): string | null {
	const { mode } = whoMayRegister()
	if (mode === 'closed') return 'Nobody can register here at the moment.'
	return mode === 'invited' ? 'You need an invitation to register here. Open the link in it.' : null
}

/** Insists that invitations work. @throws NotAllowed where nobody may register, or nobody by a password */
export function requireInvitations(): void {
	requirePasswords()
	const notice = registrationNotice()
	if (notice && whoMayRegister().mode === 'closed') throw new NotAllowed(notice)
}

/*
 * What keeps programs from registering by the thousand, without a third party: a field that people do not see, and a proof of work, which is
 * asked for once many have registered from one address or network.
 */

/** The name of the field that people do not see. */
export const TRAP_FIELD = 'website'

/**
 * Registrations from one address, and from one network, within what is counted together, before a proof is asked for: as many as may come
 * at once, so that a lecture hall is not held up.
 */
const FREE_OF_PROOF = {
	address: attemptLimits['register-address'].free,
	network: attemptLimits['register-network'].free,
}

/** Refuses a form whose hidden field is filled. @throws Invalid */
export function refuseTrapped(form: FormData): void {
	if (String(form.get(TRAP_FIELD) ?? '') === '') return
	throw new Invalid(
		'A field that people do not see was filled in. Turn off automatic filling for this page and try again.',
	)
}

/** A challenge for the next one who registers from this address; null while none is asked for. */
export async function challengeFor(address: string): Promise<string | null> {
	return (await isProofNeeded(address, 1)) ? newChallenge() : null
}

/**
 * Counts a registration, and insists on a proof of work where one is asked for; each proof counts once. A browser without scripts waits
 * half a minute instead. What is refused for its proof costs the network nothing, and is counted apart.
 * @param counters of the account and the address
 * @throws NotAllowed with what to do, TooMany
 */
export async function countRegistration(
	counters: AttemptCounters,
	address: string,
	sent: { challenge?: unknown; proof?: unknown },
): Promise<void> {
	const challenge = String(sent.challenge ?? '')
	const weight = weighAnswer(challenge, String(sent.proof ?? ''))
	if (weight === 'done' || weight === 'waited') return countAttempt([...counters, ['register-proof', challenge]])
	let isUnproven = false
	try {
		// Of many at once each is counted before it looks, so no more pass without a proof than one after the other.
		await countAttempt(counters, async (trx) => {
			isUnproven = await isProofNeeded(address, 0, trx)
			if (!isUnproven) return
			const what = weight === 'early' ? 'Wait half a minute, then press' : 'Press'
			throw new NotAllowed(`Many people have just registered from your network. ${what} Register again.`)
		})
	} catch (error) {
		if (isUnproven) await countAttempt([['register-unproven', network(address)]])
		throw error
	}
}

/** @param more registrations that come on top of those that were counted */
async function isProofNeeded(address: string, more: number, executor?: Executor): Promise<boolean> {
	const counters = [
		['register-address', network(address)],
		['register-network', wideNetwork(address)],
	] as const
	const [near = 0, wide = 0] = await countedAttempts(counters, executor)
	return near + more > FREE_OF_PROOF.address || wide + more > FREE_OF_PROOF.network
}
