import type { Count, FiltersView, Loosening, MembersPage } from '../directory.present.ts'

/** What the community's page is loaded with. */
export interface CommunityData {
	page: MembersPage
	/** Where the page begins; null for the first. */
	cursor: string | null
	count: Count
	filters: FiltersView
	loosen: Loosening | null
}
