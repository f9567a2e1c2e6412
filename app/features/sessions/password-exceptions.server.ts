import { remember } from '~/lib/remember.ts'
import type { Feature } from '~/platform/feature.ts'

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Members who use a password where passwords are disabled, by a feature above this one. */
		passwordException?: PasswordException
	}
}

/** Members who use a password although passwords are disabled. */
interface PasswordException {
	/** Whether there are any. */
	isOpen: () => Promise<boolean>
	/** Whether the member with this address is one. */
	mayLogIn: (email: string) => Promise<boolean>
	/** Whether that member may have a link for a new password mailed to this address. */
	mayReset: (email: string) => Promise<boolean>
}

const registry = remember<{ exceptions: PasswordException[] }>('password-exceptions', () => ({ exceptions: [] }))

/** Registers the exceptions of all features. */
export function registerPasswordExceptions(features: readonly Feature[]): void {
	registry.exceptions = features.flatMap(({ passwordException }) => passwordException ?? [])
}

/** Whether somebody uses a password although passwords are disabled. */
export function hasPasswordException(): Promise<boolean> {
	return some(({ isOpen }) => isOpen())
}

/** Whether the member with this address may log in with a password although passwords are disabled. */
export function mayLogInAnyway(email: string): Promise<boolean> {
	return some(({ mayLogIn }) => mayLogIn(email))
}

/** Whether a link for a new password may be mailed to this address although passwords are disabled. */
export function mayResetAnyway(email: string): Promise<boolean> {
	return some(({ mayReset }) => mayReset(email))
}

async function some(ask: (exception: PasswordException) => Promise<boolean>): Promise<boolean> {
	for (const exception of registry.exceptions) if (await ask(exception)) return true
	return false
}
