import { z } from 'zod'
import { emailField } from '~/features/accounts/accounts.schema.ts'
import { personName } from '~/features/accounts/names.schema.ts'
import { cohortField } from '~/features/campus/campus-fields.schema.ts'

const number = (message: string, min: number, max: number) =>
	z
		.string({ error: message })
		.trim()
		.refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= min && Number(text) <= max, message)
		.transform(Number)

const shared = {
	cohort: cohortField,
	days: number('Enter a whole number of days from 1 to 365.', 1, 365),
}

/** Input for a new link: number of uses, lifetime and cohort. */
export const inviteInput = z.object({
	...shared,
	uses: number('Enter a whole number of uses from 1 to 10,000.', 1, 10_000),
})

/** Input for a list of addresses, besides the file. */
export const listInput = z.object(shared)

const password = z.string({ error: 'Password field is required!' }).min(1, 'Password field is required!').max(1_000)

/** Input of an invited person. The address is required only if the link is not bound to one. */
export const joinInput = z
	.object({
		name: personName,
		email: emailField.optional(),
		password,
		confirmPassword: z.string({ error: "Password doesn't match!" }),
	})
	.refine((input) => input.password === input.confirmPassword, {
		path: ['confirmPassword'],
		message: "Password doesn't match!",
	})
