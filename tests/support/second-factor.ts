import { Secret, TOTP } from 'otpauth'
import { insertTotpSecret } from '~/features/authenticators/authenticators.queries.server.ts'
import { consumeTotpCode, totpPurpose } from '~/features/authenticators/codes.server.ts'
import { finishSecondStep } from '~/features/authenticators/second-factor.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { encryptSecret } from '~/platform/encryption.server.ts'
import { form, request } from './browser.ts'

/**
 * Sets up an authenticator app for a member, without recovery codes, whose hashes are slow.
 * @returns a function for the present code, which is valid for one login
 */
export async function setUpApp({ id }: { id: number }): Promise<() => string> {
	const secret = new Secret({ size: 20 })
	const totp = new TOTP({ secret })
	await insertTotpSecret(id, encryptSecret(totpPurpose(id), secret.base32))
	// The code of the previous period, so that the present one can still be used.
	const first = totp.generate({ timestamp: Date.now() - 30_000 })
	const outcome = await db()
		.transaction()
		.execute((trx) => consumeTotpCode(trx, id, first))
	if (outcome !== 'first') throw new Error(`The app was not turned on: ${outcome}.`)
	return () => totp.generate()
}

/** The second step of a login. @param cookie from the first step */
export function submitCode(code: string, cookie: string): ReturnType<typeof finishSecondStep> {
	return finishSecondStep(form({ code }), request(cookie.split(';')[0], '/login/code'))
}
