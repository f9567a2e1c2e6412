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
	type ChallengePurpose,
	insertChallenge,
	type LockedPasskey,
	type PasskeyRow,
	takeChallenge,
} from './passkeys.queries.server.ts'
import type { assertionInput, attestationInput } from './passkeys.schema.ts'

/*
 * The two ceremonies of WebAuthn: the options for the browser, and the verification of its response. Origin and relying party follow from
 * the configured address, never from the request.
 */

/** Lifetime of a challenge, in seconds. */
const CHALLENGE_LIFETIME = 300
/** Ed25519, ES256 and RS256 by their COSE numbers; every common authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257]

export type PasskeyAssertion = z.output<typeof assertionInput>

/** Whether browsers support passkeys for this site: https with a host name, or localhost. */
export function arePasskeysSupported(address = config().publicUrl): boolean {
	const { hostname, protocol } = new URL(address)
	if (isIP(hostname.replace(/^\[|\]$/g, ''))) return false
	return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** @throws NotFound if passkeys are not supported */
export function requirePasskeySupport(): void {
	if (!arePasskeysSupported()) throw new NotFound('This site does not offer passkeys.')
}

function relyingParty() {
	const { publicUrl } = config()
	return { expectedOrigin: publicUrl, expectedRPID: new URL(publicUrl).hostname }
}

async function newChallenge(purpose: ChallengePurpose, userId: number | null): Promise<Uint8Array<ArrayBuffer>> {
	const token = newToken()
	await insertChallenge({ hash: hashToken(token), purpose, userId, seconds: CHALLENGE_LIFETIME })
	return new TextEncoder().encode(token)
}

/** The options of an authentication. @param keys the acceptable credentials; none for a login, where the authenticator offers its own */
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

/** The options of a registration. @param keys the member's credentials, of which no duplicates are made */
export async function attestationOptions(owner: { id: number; username: string; name: string }, keys: PasskeyRow[]) {
	const { extensions: _none, ...options } = await generateRegistrationOptions({
		rpID: relyingParty().expectedRPID,
		rpName: siteName(),
		userName: owner.username,
		userDisplayName: owner.name,
		// An opaque id, which survives a change of the username.
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
 * Uses up the signed challenge before anything else is verified.
 * @returns the challenge in the form that the verification compares
 * @throws NotAllowed if it was not issued by this site for this purpose, or is used or expired
 */
export async function spendChallenge(
	clientDataJSON: string,
	purpose: ChallengePurpose,
	userId: number | null,
): Promise<string> {
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
 * Verifies a signed challenge, including that the member was recognized by finger, face or PIN.
 * @returns the authenticator's new counter; null if the verification fails
 */
export async function checkAssertion(
	sent: PasskeyAssertion,
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

/** Verifies a new credential; null if the verification fails. */
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
