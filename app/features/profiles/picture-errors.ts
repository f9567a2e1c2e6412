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
	bytes: 'This picture is larger than 5 MB. Choose a smaller one.',
	pixels: 'This picture has more than 40 megapixels. Choose a smaller one.',
	held: 'This picture is saved in a way that takes too much memory to read. Save it without “progressive” or “interlaced”.',
	damaged: 'This picture is damaged and cannot be read.',
	crop: 'The selected area is outside the picture.',
	sending: 'The picture is still uploading. Wait a moment, or cancel it.',
	busy: 'Many pictures are being processed right now. Try again in a minute.',
} as const
