import { z } from 'zod'
import { personName } from './names.schema.ts'

const text = (missing: string) => z.string({ error: missing })
const email = z.email('Enter a valid email address.').max(200, 'An email address can have at most 200 characters.')

/** An e-mail address of a form, in lower case. */
export const emailField = text('Email is required!')
	.trim()
	.min(1, 'Email is required!')
	.pipe(email)
	.transform((address) => address.toLowerCase())

/** Required for every registration, by page or API. */
export const nameInput = z.object({ name: personName })

/** Whether a text has the form of an e-mail address. */
export function isEmail(candidate: string): boolean {
	return email.safeParse(candidate).success
}

/** Full name, e-mail and a password given twice. */
export const registerInput = z
	.object({
		name: personName,
		email: text('Email is required!').trim().min(1, 'Email is required!').pipe(email),
		password: text('Password field is required!').min(1, 'Password field is required!'),
		confirmPassword: text("Password doesn't match!"),
	})
	.refine((input) => input.password === input.confirmPassword, {
		path: ['confirmPassword'],
		message: "Password doesn't match!",
	})

/** E-mail or username, and the password. */
export const loginInput = z.object({
	email: text('Email is required!').trim().min(1, 'Email is required!').max(200),
	password: text('Password field is required!').min(1, 'Password field is required!').max(1_000),
})

export const forgotInput = z.object({
	email: text('Email is required!').trim().min(1, 'Email is required!').pipe(email),
})

export const resetInput = z
	.object({
		token: text('This link is incomplete. Open it from the email again.').min(
			1,
			'This link is incomplete. Open it from the email again.',
		),
		password: text('Password field is required!').min(1, 'Password field is required!'),
		confirmPassword: text("Password doesn't match!"),
	})
	.refine((input) => input.password === input.confirmPassword, {
		path: ['confirmPassword'],
		message: "Password doesn't match!",
	})

/** The current password, which proves who asks, and the new one. */
export const changePasswordInput = z.object({
	currentPassword: text('Password field is required!').min(1, 'Password field is required!').max(1_000),
	newPassword: text('Password field is required!').min(1, 'Password field is required!').max(1_000),
})
