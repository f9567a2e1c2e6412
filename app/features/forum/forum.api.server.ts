import type { z } from 'zod'
import { moderationOperations, moderationShapes } from '~/features/moderation/moderation.api.server.ts'
import { pictureOperations, pictureShapes } from '~/features/pictures/pictures.api.server.ts'
import { profileOperations } from '~/features/profiles/profiles.api.server.ts'
import { commentOperations } from '~/features/questions/api/comments.server.ts'
import { draftOperations, draftShapes } from '~/features/questions/api/drafts.server.ts'
import { historyOperations, historyShapes } from '~/features/questions/api/histories.server.ts'
import { queryOperations } from '~/features/questions/api/questions.server.ts'
import { reportOperations } from '~/features/questions/api/reports.server.ts'
import { restoringOperations } from '~/features/questions/api/restoring.server.ts'
import { forumShapes as textShapes } from '~/features/questions/api/shapes.server.ts'
import { voteOperations, voteShapes } from '~/features/questions/api/votes.server.ts'
import { followingOperations, followingShapes } from '~/features/tags/api/following.server.ts'
import { tagKeepingOperations, tagKeepingShapes } from '~/features/tags/api/synonyms.server.ts'
import { placeOperations } from '~/features/tags/api/tags.server.ts'
import type { Operation } from '~/platform/http/operation.ts'

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
	...profileOperations,
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
	...moderationShapes,
}
