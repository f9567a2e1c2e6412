/** What a picture is for; it decides the folder, the widths and whether it is square. */
export type PictureKind = 'profile' | 'certificate' | 'project' | 'post' | 'message'

/** The folder of each kind's files. */
export const pictureFolders = {
	profile: 'profiles',
	certificate: 'certificates',
	project: 'projects',
	post: 'posts',
	message: 'messages',
} as const

/** The widths in pixels in which a picture is stored, smallest first: twice what the pages show, for dense screens. */
export const pictureWidths: Record<PictureKind, [number, number, number]> = {
	profile: [96, 224, 512],
	certificate: [320, 640, 1280],
	project: [320, 640, 1280],
	post: [320, 640, 1280],
	message: [320, 640, 1280],
}

/** How many bytes a picture may have when it is sent. */
export const largestPicture = 5 * 1024 * 1024

/** A picture's path in the database: folder, username, and the hash of what it was made from. */
export const picturePath = /^(profiles|certificates|projects|posts|messages)\/([a-z0-9_.-]+)\/[0-9a-f]{32}$/

/** The address of a picture in one of its widths. */
export function pictureUrl(path: string, width: number): string {
	return `/media/${path}-${width}.webp`
}

/** The `srcset` of a picture: all of its widths. */
export function pictureSrcSet(path: string): string {
	return widthsOf(path)
		.map((width) => `${pictureUrl(path, width)} ${width}w`)
		.join(', ')
}

/** The widths of the picture with this path. */
export function widthsOf(path: string): [number, number, number] {
	return path.startsWith('profiles/') ? pictureWidths.profile : pictureWidths.project
}
