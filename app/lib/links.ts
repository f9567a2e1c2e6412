/* Members' links. A module of its own, as only some pages need it. */

/** A link without scheme, `www.` and a trailing slash, for display. */
export function bareUrl(url: string): string {
	return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}

/** `url` if it is a web address, else ''. Stored links were checked when they were written, and are checked again here. */
export function webUrl(url: string): string {
	return /^https?:\/\//i.test(url) ? url : ''
}
