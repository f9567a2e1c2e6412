/** Pictures of one message. */
export const MAX_PICTURES = 4

export const TOO_MANY_PICTURES = `A message may have at most ${MAX_PICTURES} pictures.`

/** Characters of what a picture shows. */
export const MAX_ALT_LENGTH = 200

/** Messages with pictures that a member may send in so many seconds. */
export const MAX_PICTURED = { messages: 40, seconds: 3_600 } as const

/** A picture of a message; its address answers to those who may read the message. */
export interface ChatPicture {
	path: string
	/** Pixels of the largest file. */
	width: number
	height: number
	/** What it shows, in the sender's words; '' when they said nothing. */
	alt: string
}

/** A picture as its sender names it. */
export interface NamedPicture {
	path: string
	alt: string
}

/** A picture of a message that is on its way; its file lies in the store under its id. */
export interface OutgoingPicture {
	id: string
	width: number
	height: number
	/** What it shows, in the sender's words. */
	alt: string
}

/** The part of the browser's storage that messages on their way need. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
