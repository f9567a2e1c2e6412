import type { z } from 'zod'
import { pictureOperations, pictureShapes } from '~/features/pictures/pictures.api.server.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { commentOperations } from './api/comments.server.ts'
import { draftOperations, draftShapes } from './api/drafts.server.ts'
import { followingOperations, followingShapes } from './api/following.server.ts'
import { historyOperations, historyShapes } from './api/histories.server.ts'
import { moderationOperations } from './api/moderation.server.ts'
import { moderationShapes } from './api/moderation-shapes.server.ts'
import { placeOperations } from './api/places.server.ts'
import { queryOperations } from './api/queries.server.ts'
import { reportOperations, reportShapes } from './api/reports.server.ts'
import { restoringOperations } from './api/restoring.server.ts'
import { forumShapes as textShapes } from './api/shapes.server.ts'
import { tagKeepingOperations, tagKeepingShapes } from './api/tag-keeping.server.ts'
import { voteOperations, voteShapes } from './api/votes.server.ts'

/** The forum as JSON: the use cases of its pages, one file for each resource. */
export const forumOperations: Operation[] = [
	...queryOperations,
	...commentOperations,
	...restoringOperations,
	...voteOperations,
	...historyOperations,
	...placeOperations,
	...tagKeepingOperations,
	...followingOperations,
	...draftOperations,
	...pictureOperations,
	...reportOperations,
	...moderationOperations,
]

/** Under which names the description knows what these take and tell. */
export const forumShapes: Record<string, z.ZodType> = {
	...textShapes,
	...voteShapes,
	...followingShapes,
	...historyShapes,
	...tagKeepingShapes,
	...draftShapes,
	...pictureShapes,
	...reportShapes,
	...moderationShapes,
}
