import type { FormField } from '~/lib/unsent-form.ts'

/** Data of a route error with status 503 or 507: a fault of the site itself, for the error page. */
export interface SiteFaultData {
	/** A sentence for the reader. */
	message: string
	/** Whether the page may retry by itself until the site answers. */
	retries: boolean
	/** The fields of a form that could not be saved, in order; null when there is nothing to show. */
	typed: FormField[] | null
}

/** The site fault of a route error, or null. */
export function siteFaultData(status: number, told: unknown): SiteFaultData | null {
	if (status !== 503 && status !== 507) return null
	const { message, retries, typed } = (told ?? {}) as Partial<SiteFaultData>
	return { message: message ?? '', retries: retries === true, typed: typed ?? null }
}

/** Data of a route error with status 401: a form was not saved because its session has ended, or its member has to confirm their identity. */
export interface EndedSessionData {
	/** The login page, or the one that confirms the identity; both lead back to the form. */
	login: string
	/** The fields of the form, in order; never a password or a file. */
	typed: FormField[]
}

/** The location of a redirect to the login, or to the page that confirms the identity; null for other redirects. */
export function loginLocationOf(location: string | null): string | null {
	return location && /^\/(login|confirm-identity)\?redirectTo=/.test(location) ? location : null
}

/** The ended session of a route error, or null. */
export function endedSessionData(status: number, told: unknown): EndedSessionData | null {
	const { login, typed } = (told ?? {}) as Partial<EndedSessionData>
	return status === 401 && login && typed ? { login, typed } : null
}
