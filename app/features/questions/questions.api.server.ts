import type { z } from 'zod'
import type { Operation } from '~/platform/http/operation.ts'
import { commentOperations } from '~/features/discussion/api/comments.server.ts'
import { draftOperations, draftShapes } from './api/drafts.server.ts'
import { historyOperations, historyShapes } from '~/features/discussion/api/histories.server.ts'
import { queryOperations } from './api/questions.server.ts'
import { forumShapes } from './api/shapes.server.ts'
import { mutingOperations, voteOperations, voteShapes } from '~/features/discussion/api/votes.server.ts'

/** Questions and their comments as JSON: the use cases of the pages, one file for each resource. */
export const questionOperations: Operation[] = [
	...queryOperations,
	...commentOperations,
	...voteOperations,
	...historyOperations,
	...draftOperations,
	...mutingOperations,
]

/** Under which names the description knows what these take and tell. */
export const questionShapes: Record<string, z.ZodType> = {
	...forumShapes,
	...voteShapes,
	...historyShapes,
	...draftShapes,
}
