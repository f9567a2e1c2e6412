/** The limits of what members write, apart from the schemas so that the browser can use them without zod. */
export const limits = {
	titleMin: 8,
	titleMax: 200,
	descriptionMax: 30_000,
	commentMax: 10_000,
	tagsHint: 5,
	tagsMax: 10,
	/** Edits of one text that its author may make; each stores what the text said before. */
	editsMax: 200,
} as const

/** How many posts of a kind are counted: of more it is only said that there are more. */
export const MAX_POSTS_COUNTED = 999
