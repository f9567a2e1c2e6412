import { isIP } from 'node:net'
import {
	generateAuthenticationOptions,
	generateRegistrationOptions,
	verifyAuthenticationResponse,
	verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeClientDataJSON } from '@simplewebauthn/server/helpers'
import type { z } from 'zod'
import { config } from '~/config.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	insertChallenge,
	type LockedPasskey,
	type PasskeyRow,
	type Purpose,
	takeChallenge,
} from './passkeys.queries.server.ts'
import type { assertionInput, attestationInput } from './passkeys.schema.ts'

/*
 * The two ceremonies of WebAuthn, in the words of the site: what a browser is asked, and whether what it brings back is right. Origin
 * and relying party are those of the site's configured address, whatever the request says of itself.
 */

/** How long a challenge may be signed, in seconds. */
const CHALLENGE_LIFETIME = 300
/** Ed25519, ES256 and RS256, as COSE numbers them: what every authenticator in use has one of. */
const ALGORITHMS = [-8, -7, -257]

export type Assertion = z.output<typeof assertionInput>

/** Whether browsers make passkeys for this site: its address has a name and https, or is this machine's own name. */
export function isOffered(address = config().publicUrl): boolean {
	const { hostname, protocol } = new URL(address)
	if (isIP(hostname.replace(/^\[|\]$/g, ''))) return false
	return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** @throws NotFound where passkeys cannot work */
export function requireOffered(): void {
	if (!isOffered()) throw new NotFound('This site does not offer passkeys.')
}

function relyingParty() {
	const { publicUrl } = config()
	return { expectedOrigin: publicUrl, expectedRPID: new URL(publicUrl).hostname }
}

async function newChallenge(purpose: Purpose, userId: number | null): Promise<Uint8Array<ArrayBuffer>> {
	const token = newToken()
	await insertChallenge({ hash: hashToken(token), purpose, userId, seconds: CHALLENGE_LIFETIME })
	return new TextEncoder().encode(token)
}

/** What a browser is asked to sign. @param keys those that count; none for a login, where the authenticator offers what it has */
export async function assertionOptions(purpose: 'login' | 'confirm', userId: number | null, keys: PasskeyRow[] = []) {
	const { extensions: _none, ...options } = await generateAuthenticationOptions({
		rpID: relyingParty().expectedRPID,
		challenge: await newChallenge(purpose, userId),
		userVerification: 'required',
		timeout: CHALLENGE_LIFETIME * 1_000,
		...(keys.length > 0 && { allowCredentials: keys.map(toDescriptor) }),
	})
	return options
}

/** What a browser is asked to make. @param keys those that the member has, of which no second one is made */
export async function attestationOptions(owner: { id: number; username: string; name: string }, keys: PasskeyRow[]) {
	const { extensions: _none, ...options } = await generateRegistrationOptions({
		rpID: relyingParty().expectedRPID,
		rpName: siteName(),
		userName: owner.username,
		userDisplayName: owner.name,
		// Names nobody outside this site, and stays when the username changes.
		userID: new TextEncoder().encode(String(owner.id)),
		challenge: await newChallenge('add', owner.id),
		timeout: CHALLENGE_LIFETIME * 1_000,
		supportedAlgorithmIDs: ALGORITHMS,
		excludeCredentials: keys.map(toDescriptor),
		authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
	})
	return options
}

function toDescriptor({ credential_id, transports }: PasskeyRow) {
	return { id: credential_id, transports }
}

/**
 * Uses up the challenge that was signed, before anything else is looked at.
 * @returns the challenge as the ceremony compares it
 * @throws NotAllowed where this site did not give it out for this, or it is used or too old
 */
export async function spendChallenge(clientDataJSON: string, purpose: Purpose, userId: number | null): Promise<string> {
	const challenge = challengeOf(clientDataJSON)
	const token = Buffer.from(challenge, 'base64url').toString()
	if (!(await takeChallenge(hashToken(token), purpose, userId)))
		throw new NotAllowed('This took too long, or was sent before. Try again.')
	return challenge
}

function challengeOf(clientDataJSON: string): string {
	try {
		return String(decodeClientDataJSON(clientDataJSON).challenge)
	} catch {
		return ''
	}
}

/**
 * Whether a passkey signed a challenge here, with its member recognized by finger, face or PIN, and counted on.
 * @returns the authenticator's counter; null where anything is not as it should be
 */
export async function checkAssertion(
	sent: Assertion,
	expectedChallenge: string,
	key: Pick<LockedPasskey, 'public_key' | 'counter'>,
): Promise<number | null> {
	try {
		const { verified, authenticationInfo } = await verifyAuthenticationResponse({
			...relyingParty(),
			response: { ...sent, clientExtensionResults: {} },
			expectedChallenge,
			credential: { id: sent.id, publicKey: new Uint8Array(key.public_key), counter: key.counter },
			requireUserVerification: true,
		})
		return verified ? authenticationInfo.newCounter : null
	} catch {
		return null
	}
}

/** The new credential that a browser brought; null where anything is not as it should be. */
export async function checkAttestation(sent: z.output<typeof attestationInput>, expectedChallenge: string) {
	try {
		const { verified, registrationInfo } = await verifyRegistrationResponse({
			...relyingParty(),
			response: { ...sent, clientExtensionResults: {} },
			expectedChallenge,
			requireUserVerification: true,
			supportedAlgorithmIDs: ALGORITHMS,
		})
		return verified ? registrationInfo.credential : null
	} catch {
		return null
	}
}
