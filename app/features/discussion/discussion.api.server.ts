import type { z } from 'zod'
import type { Operation } from '~/platform/http/operation.ts'
import { commentOperations } from './api/comments.server.ts'
import { historyOperations, historyShapes } from './api/histories.server.ts'
import { commentShapes } from './api/shapes.server.ts'
import { voteOperations, voteShapes } from './api/votes.server.ts'

/** Comments, votes and edits as JSON: the use cases of the pages, one file for each resource. */
export const discussionOperations: Operation[] = [...commentOperations, ...voteOperations, ...historyOperations]

/** Under which names the description knows what these take and tell. */
export const discussionShapes: Record<string, z.ZodType> = { ...commentShapes, ...voteShapes, ...historyShapes }
