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
