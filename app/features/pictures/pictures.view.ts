import { PICTURE_WIDTHS, PORTRAIT_WIDTHS } from '~/lib/addresses.ts'

/* What the browser and the server both know of pictures: their kinds and limits, their view, why an upload failed. */

/** What a picture is for; it decides the folder, the widths and whether it is square. */
export type PictureKind = 'profile' | 'certificate' | 'project' | 'post' | 'message' | 'logo'

/** The folder of each kind's files. */
export const pictureFolders = {
	profile: 'profiles',
	certificate: 'certificates',
	project: 'projects',
	post: 'posts',
	message: 'messages',
	logo: 'logos',
} as const

/** How many bytes a picture may have when it is sent: 5 MB. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024

/** A picture's path in the database: folder, username (`-` for the picture of a text, and for the logo), and a hash of what it was made from. */
export const picturePath = /^(profiles|certificates|projects|posts|messages|logos)\/([a-z0-9_.-]+)\/[0-9a-f]{32}$/

/** The widths in pixels in which a picture of a kind is stored, smallest first. */
export function widthsOfKind(kind: PictureKind): readonly [number, number, number] {
	return kind === 'profile' ? PORTRAIT_WIDTHS : PICTURE_WIDTHS
}

/** The widths of the picture with this path. */
export function widthsOf(path: string): readonly [number, number, number] {
	return path.startsWith(`${pictureFolders.profile}/`) ? PORTRAIT_WIDTHS : PICTURE_WIDTHS
}

/** A stored picture: where it is, the place it takes in pixels of its largest width, and what to show until it is there. */
export interface PictureView {
	path: string
	width: number
	height: number
	/** `#rrggbb` */
	colour: string
}

/** Why an upload failed. Each kind has its own sentence; the browser and the server say the same. */
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

/** What the upload answers with when it fails. */
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
