import { PICTURE_WIDTHS, PORTRAIT_WIDTHS } from '~/lib/addresses.ts'

/* Shared by browser and server: kinds and limits of pictures, their view, and upload errors. */

/** The purpose of a picture; it decides the folder, the widths and whether it is square. */
export type PictureKind = 'profile' | 'certificate' | 'project' | 'post' | 'message' | 'logo'

/** The folder of each kind. */
export const pictureFolders = {
	profile: 'profiles',
	certificate: 'certificates',
	project: 'projects',
	post: 'posts',
	message: 'messages',
	logo: 'logos',
} as const

/** The maximum size of an upload: 5 MB. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024

/** A picture's path: folder, username (`-` for posts and the logo), and a hash of its source. */
export const picturePath = /^(profiles|certificates|projects|posts|messages|logos)\/([a-z0-9_.-]+)\/[0-9a-f]{32}$/

/** The widths in pixels of a kind, smallest first. */
export function widthsOfKind(kind: PictureKind): readonly [number, number, number] {
	return kind === 'profile' ? PORTRAIT_WIDTHS : PICTURE_WIDTHS
}

/** The widths of the picture with this path. */
export function widthsOf(path: string): readonly [number, number, number] {
	return path.startsWith(`${pictureFolders.profile}/`) ? PORTRAIT_WIDTHS : PICTURE_WIDTHS
}

/** A stored picture, with the size of its largest version and a placeholder colour. */
export interface PictureView {
	path: string
	width: number
	height: number
	/** `#rrggbb` */
	colour: string
}

/** Upload errors with their messages, the same in browser and server. */
export const uploadErrors = {
	unknown: { status: 500, message: 'The picture could not be stored. Try again.' },
	'object-not-found': { status: 404, message: 'This picture no longer exists. Choose it again.' },
	'quota-exceeded': {
		status: 402,
		message: 'You have used your 50 MB for pictures. Remove one before you add another.',
	},
	unauthenticated: { status: 401, message: 'You are no longer logged in. Log in and choose the picture again.' },
	unauthorized: { status: 403, message: 'This picture belongs to somebody else.' },
	'retry-limit-exceeded': { status: 408, message: 'The connection kept failing for ten minutes. Try again later.' },
	canceled: { status: 499, message: 'The upload was cancelled.' },
	'invalid-argument': { status: 400, message: 'Invalid file type!' },
} as const

export type UploadErrorKind = keyof typeof uploadErrors

/** The response to a failed upload. */
export interface UploadFailure {
	kind: UploadErrorKind
	message: string
}

export const pictureRefusals = {
	type: 'Invalid file type!',
	logo: 'This is neither a PNG nor a JPG. Save the logo as PNG, which keeps its transparent parts, and choose that file.',
	bytes: 'This picture is larger than 5 MB. Choose a smaller one.',
	pixels: 'This picture has more than 40 megapixels. Choose a smaller one.',
	held: 'This picture is saved in a way that takes too much memory to read. Save it without “progressive” or “interlaced”.',
	damaged: 'This picture is damaged and cannot be read.',
	crop: 'The selected area is outside the picture.',
	sending: 'The picture is still uploading. Wait a moment, or cancel it.',
	busy: 'Many pictures are being processed right now. Try again in a minute.',
} as const
