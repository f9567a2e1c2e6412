export interface RelatedView {
	/** Canonical address. */
	url: string
	title: string
	solved: boolean
	commentCount: number
}
