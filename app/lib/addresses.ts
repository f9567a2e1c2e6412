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

/** The widths in pixels in which a portrait is stored, smallest first: twice what the pages show, for dense screens. */
export const PORTRAIT_WIDTHS = [96, 224, 512] as const

/** The same of any other picture. */
export const PICTURE_WIDTHS = [320, 640, 1280] as const

/** The address of a stored picture in one of its widths. */
export function pictureUrl(path: string, width: number): string {
	return `/media/${path}-${width}.webp`
}

/** The `srcset` of a stored picture. @param widths all that it is stored in */
export function pictureSrcSet(path: string, widths: readonly number[]): string {
	return widths.map((width) => `${pictureUrl(path, width)} ${width}w`).join(', ')
}
