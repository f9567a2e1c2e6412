import { defineFeature } from '~/platform/feature.ts'
import { forumOperations, forumShapes } from './forum.api.server.ts'
import { forumPages } from './forum.pages.server.ts'
import { receiveForum } from './forum.sockets.server.ts'
import { seedDemo } from './import/demo.server.ts'
import { moderationKinds } from './moderation/decision-words.ts'
import { tellFollowers } from './notices/notices.server.ts'
import { forumKinds } from './notices/told.ts'
import { refreshWordCounts } from './similar/similar.queries.server.ts'
import { moveSynonyms } from './tags/tags.server.ts'

export const forum = defineFeature({
	name: 'forum',
	api: { operations: forumOperations, schemas: forumShapes },
	jobs: { 'tell-followers': tellFollowers },
	schedules: [
		{ name: 'move-synonyms', every: 'hour', run: moveSynonyms },
		{ name: 'similar-words', every: 'hour', run: refreshWordCounts },
	],
	onConnect: receiveForum,
	notificationKinds: { ...forumKinds, ...moderationKinds },
	cachedPages: forumPages,
	seedDemo,
})
