import { z } from 'zod'
import { emailField } from '~/features/accounts/accounts.schema.ts'

/** A new address, and whether it becomes the first or the second one. */
export const newEmailInput = z.object({
	email: emailField,
	place: z.enum(['email', 'second_email'], { error: 'The form is incomplete. Reload the page.' }),
})
