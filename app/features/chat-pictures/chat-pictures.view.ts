/** Pictures per message. */
export const MAX_PICTURES = 4

export const TOO_MANY_PICTURES = `A message may have at most ${MAX_PICTURES} pictures.`

/** Characters of a description. */
export const MAX_ALT_LENGTH = 200

/** Messages with pictures that a member may send within this many seconds. */
export const MAX_PICTURE_MESSAGES = { messages: 40, seconds: 3_600 } as const

/** A picture of a message. Its address only answers the members who may read the message. */
export interface ChatPicture {
	path: string
	/** Pixels of the largest version. */
	width: number
	height: number
	/** The sender's description; '' without one. */
	alt: string
}

/** A picture as the sender refers to it. */
export interface PictureReference {
	path: string
	alt: string
}

/** A picture of a message that is being sent; its file is in the picture store under its id. */
export interface OutgoingPicture {
	id: string
	width: number
	height: number
	/** The sender's description. */
	alt: string
}

/** The part of `Storage` that the outbox needs. */
export type OutboxStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
