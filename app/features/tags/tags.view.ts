export interface CategoryView {
	slug: string
	title: string
	count: number
}

export interface TagView {
	name: string
	count: number
}

/** A tag with what its page says of it. */
export interface TagPageView extends TagView {
	id: number
	/** '' when nobody wrote one. */
	description: string
	/** Other spellings, which lead here. */
	synonyms: string[]
	/** Whether the viewer follows it. */
	following: boolean
}
