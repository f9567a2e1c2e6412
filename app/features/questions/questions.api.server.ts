import type { z } from 'zod'
import type { Operation } from '~/platform/http/operation.ts'
import { draftOperations, draftShapes } from './api/drafts.server.ts'
import { askingOperations, mutingOperations } from './api/questions.server.ts'
import { reportOperations } from './api/reports.server.ts'
import { forumShapes } from './api/shapes.server.ts'

/** Questions, drafts and reports as JSON: the use cases of the pages, one file for each resource. */
export const questionOperations: Operation[] = [
	...askingOperations,
	...draftOperations,
	...mutingOperations,
	...reportOperations,
]

/** Under which names the description knows what these take and tell. */
export const questionShapes: Record<string, z.ZodType> = { ...forumShapes, ...draftShapes }
