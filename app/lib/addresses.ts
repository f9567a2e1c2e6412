/** The login page, which leads back to `to` afterwards. */
export function loginPath(to: string): string {
	return `/login?redirectTo=${encodeURIComponent(to)}`
}

/** An address with the parameters that have a value. */
export function withParams(pathname: string, params: Record<string, string | number | null | undefined>): string {
	const search = new URLSearchParams()
	for (const [name, value] of Object.entries(params)) if (value) search.set(name, String(value))
	return search.size > 0 ? `${pathname}?${search}` : pathname
}

/** The page of a member, for everybody. */
export function profilePath(username: string): string {
	return `/find-dev/${encodeURIComponent(username)}`
}
