import { z } from 'zod'

const text = (missing: string) => z.string({ error: missing }).min(1, missing)

/** The password that confirms the member's identity. */
export const confirmInput = z.object({ password: text('Enter your password.').max(1_000) })

/** A code of an authenticator app, or a recovery code. */
export const codeInput = z.object({ code: text('Enter a code.').max(40) })
