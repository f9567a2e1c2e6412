/** The login page, which leads back to `to` afterwards. */
export function loginPath(to: string): string {
	return `/login?redirectTo=${encodeURIComponent(to)}`
}

/** The page that asks a member to confirm their identity, which leads back to `to` afterwards. */
export function confirmPath(to: string): string {
	return `/confirm-identity?redirectTo=${encodeURIComponent(to)}`
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

/** The widths in pixels of stored portraits, smallest first: twice the displayed size, for dense screens. */
export const PORTRAIT_WIDTHS = [96, 224, 512] as const

/** The widths of other stored pictures. */
export const PICTURE_WIDTHS = [320, 640, 1280] as const

/** The address of a stored picture in one of its widths. */
export function pictureUrl(path: string, width: number): string {
	return `/media/${path}-${width}.webp`
}

/** The path of a stored picture from an address of {@link pictureUrl}; null from any other text. */
export function pathOfPicture(url: string): string | null {
	return /^\/media\/(.+)-\d+\.webp$/.exec(url)?.[1] ?? null
}

/** The `srcset` of a stored picture. @param widths all that it is stored in */
export function pictureSrcSet(path: string, widths: readonly number[]): string {
	return widths.map((width) => `${pictureUrl(path, width)} ${width}w`).join(', ')
}

/**
 * A title for an address: lower-case words of ASCII letters and digits, as many as fit. Accents are removed, and so are non-Latin
 * letters, which would be percent-encoded wherever the address is pasted. '' where nothing is left.
 * @param max maximum characters
 */
export function slugOf(title: string, max: number): string {
	const plain = title
		.normalize('NFKD')
		.replace(/[\p{M}'’]/gu, '')
		.toLowerCase()
	let slug = ''
	for (const word of plain.match(/[a-z0-9]+/g) ?? []) {
		const longer = slug ? `${slug}-${word}` : word.slice(0, max)
		if (longer.length > max) break
		slug = longer
	}
	return slug
}
