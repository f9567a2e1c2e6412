import { z } from 'zod'

const email = z.email('This is no e-mail address.').max(200, 'An e-mail address has at most 200 characters.')

/** Full name, e-mail and a password given twice. */
export const registerInput = z
	.object({
		name: z.string().trim().min(1, 'Full name is required!').max(100, 'A name has at most 100 characters.'),
		email,
		password: z.string().min(1, 'Password field is required!'),
		confirmPassword: z.string(),
	})
	.refine((input) => input.password === input.confirmPassword, { path: ['confirmPassword'], message: "Password doesn't match!" })

/** E-mail or username, and the password. */
export const loginInput = z.object({
	email: z.string().trim().min(1, 'Email is required!').max(200),
	password: z.string().min(1, 'Password field is required!').max(1_000),
})

export const forgotInput = z.object({ email: z.string().trim().min(1, 'Email is required!').pipe(email) })

export const resetInput = z
	.object({ token: z.string().min(1), password: z.string().min(1, 'Password field is required!'), confirmPassword: z.string() })
	.refine((input) => input.password === input.confirmPassword, { path: ['confirmPassword'], message: "Password doesn't match!" })
