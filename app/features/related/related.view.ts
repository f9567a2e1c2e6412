/** A question that asks something like the one of a page. */
export interface RelatedView {
	/** Canonical address. */
	url: string
	title: string
	solved: boolean
	commentCount: number
}
