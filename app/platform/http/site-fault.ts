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
