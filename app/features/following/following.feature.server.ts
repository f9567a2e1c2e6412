import { defineFeature } from '~/platform/feature.ts'
import { followingOperations, followingShapes } from './following.api.server.ts'
import { affectedCounters } from './following.queries.server.ts'
import {
	checkSavedSearches,
	forgetSharedSearches,
	registerSearchSources,
	removeSearchesFor,
	savedSearchKinds,
	sweepSearches,
} from './searches.server.ts'
import { sendWeeklyMails } from './weekly.server.ts'

export const following = defineFeature({
	name: 'following',
	api: { operations: followingOperations, schemas: followingShapes },
	counters: affectedCounters,
	notificationKinds: savedSearchKinds,
	schedules: [
		{ name: 'check-saved-searches', every: 'minute', run: checkSavedSearches },
		{ name: 'mail-weekly', every: 'hour', run: sendWeeklyMails },
		{ name: 'sweep-saved-searches', every: 'hour', run: sweepSearches },
	],
	leaving: [
		async ({ usernames }) => {
			await removeSearchesFor(usernames)
			return false
		},
	],
	merging: [forgetSharedSearches],
	collect: registerSearchSources,
	memberData: {
		affected_members: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['question_id'] } },
			called: '“I have this too”',
			archive: ['question_id', 'said_at'],
		},
		saved_searches: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['kind', 'query'] } },
			called: 'Saved searches',
			archive: ['kind', 'query', 'name', 'hits', 'created_at', 'checked_at', 'found_at', 'removed_at'],
			mentions: { name: 60 },
		},
	},
})
