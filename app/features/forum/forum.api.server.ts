import type { Operation } from '~/lib/operation.ts'
import { commentOperations } from './api/comments.server.ts'
import { placeOperations } from './api/places.server.ts'
import { queryOperations } from './api/queries.server.ts'

export { forumShapes } from './api/shapes.server.ts'

/** The forum as JSON: the use cases of its pages, one file for each resource. */
export const forumOperations: Operation[] = [...queryOperations, ...commentOperations, ...placeOperations]
