/* The readable page, made of the description. */

export interface FieldDoc {
	name: string
	/** In words: “text”, “list of QueryCard”. */
	type: string
	/** Names of shapes that the type mentions; each stands on the page. */
	shape: string | null
	required: boolean
	note: string
}

export interface OperationDoc {
	id: string
	method: string
	path: string
	summary: string
	description: string
	/** “Open to everybody”, “For members”. */
	access: string
	/** The scope that a token needs. */
	scope: string
	parameters: FieldDoc[]
	body: FieldDoc[]
	answers: { status: string; text: string; shape: string | null }[]
	curl: string
}

export interface ApiDocs {
	groups: { name: string; id: string; operations: OperationDoc[] }[]
	shapes: { name: string; fields: FieldDoc[] }[]
	/** Calls a minute. */
	rates: { read: number; write: number }
	base: string
}
