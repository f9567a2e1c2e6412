import type { FirstStepsView } from '~/features/profiles/profiles.view.ts'
import type { Count, FiltersView, Loosening, MembersPage } from '../directory.view.ts'

/** What the community's page is loaded with. */
export interface CommunityData {
	page: MembersPage
	/** Where the page begins; null for the first. */
	cursor: string | null
	count: Count
	filters: FiltersView
	loosen: Loosening | null
	/** What the viewer has yet to do to be found; null when there is nothing to lead them to, and within a search. */
	firstSteps: FirstStepsView | null
}
