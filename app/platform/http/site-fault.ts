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

/**
 * What the error page is told of a form that was not taken because its session has ended, or has to be confirmed first: the data of
 * a route's error with status 401.
 */
export interface EndedSessionData {
	/** The login page, or the one that confirms who it is; both lead back to the form. */
	login: string
	/** What came with the form, by the names of its fields; never a password or a file. */
	typed: Record<string, string>
}

/** The address of a redirect that leads to the login, or to the page that confirms who it is, and back afterwards; else null. */
export function loginOf(location: string | null): string | null {
	return location && /^\/(login|confirm-identity)\?redirectTo=/.test(location) ? location : null
}

/** What an error of a route says of a session that has ended or has to be confirmed, or null. */
export function endedSessionData(status: number, told: unknown): EndedSessionData | null {
	const { login, typed } = (told ?? {}) as Partial<EndedSessionData>
	return status === 401 && login && typed ? { login, typed } : null
}
