/* Links that members give. Only some pages show them: this is not in the scripts of every page. */

/** A link's address without scheme, `www.` and a slash at the end: what a reader recognises. */
export function bareUrl(url: string): string {
	return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}

/** `url` if it leads to the web, else ''. What is stored was checked when it was written; a link is checked again here. */
export function webUrl(url: string): string {
	return /^https?:\/\//i.test(url) ? url : ''
}
