/** A query that may already answer what somebody is about to ask. */
export interface SimilarView {
	id: number
	url: string
	title: string
	/** The title as HTML with what matches in `<mark>`. */
	titleHtml: string
	/** A passage of the description with what matches in `<mark>`, where the title shows nothing of it. */
	excerptHtml?: string
	solved: boolean
	commentCount: number
	/** From 0 to about 1.5; comparable between questions. */
	score: number
}
