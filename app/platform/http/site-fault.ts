/** What the error page is told of a fault of the site itself: the data of a route's error with status 503 or 507. */
export interface SiteFaultData {
	/** A sentence for the reader. */
	message: string
	/** Whether the page may ask again by itself, until the site answers. */
	retries: boolean
	/** What came with the form that could not be taken, by the names of its fields; null when there is nothing to show. */
	typed: Record<string, string> | null
}

/** The fault that an error of a route tells of, or null. */
export function siteFaultData(status: number, told: unknown): SiteFaultData | null {
	if (status !== 503 && status !== 507) return null
	const { message, retries, typed } = (told ?? {}) as Partial<SiteFaultData>
	return { message: message ?? '', retries: retries === true, typed: typed ?? null }
}

/** What the error page is told of a form whose session has ended: the data of a route's error with status 401. */
export interface EndedSessionData {
	/** The login page, which leads back to the form. */
	login: string
	/** What came with the form, by the names of its fields; never a password or a file. */
	typed: Record<string, string>
}

/** The address of the login page when a redirect leads there because nobody is signed in, or null. */
export function loginOf(location: string | null): string | null {
	return location?.startsWith('/login?redirectTo=') ? location : null
}

/** What an error of a route says of an ended session, or null. */
export function endedSessionData(status: number, told: unknown): EndedSessionData | null {
	const { login, typed } = (told ?? {}) as Partial<EndedSessionData>
	return status === 401 && login && typed ? { login, typed } : null
}
