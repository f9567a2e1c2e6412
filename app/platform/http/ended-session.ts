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
