/** Limits of what members write, apart from the schemas so that the browser can use them without zod. */
export const postLimits = {
	titleMin: 8,
	titleMax: 200,
	descriptionMax: 30_000,
	commentMax: 10_000,
	tagsHint: 5,
	tagsMax: 10,
	/** Edits of one text by its author; each stores the previous version. */
	editsMax: 200,
} as const

/** Posts of a kind are counted up to this; beyond it, only “more” is shown. */
export const MAX_POSTS_COUNTED = 999
