import type { z } from 'zod'
import type { Operation } from '~/platform/http/operation.ts'
import { moderationOperations } from './api/moderation.server.ts'
import { moderationShapes } from './api/moderation-shapes.server.ts'
import { pictureOperations, pictureShapes } from './api/pictures.server.ts'
import { reportOperations, reportShapes } from './api/reports.server.ts'

/** Pictures, reports and moderation as JSON: the use cases of the pages, one file for each resource. */
export const forumOperations: Operation[] = [...pictureOperations, ...reportOperations, ...moderationOperations]

/** Under which names the description knows what these take and tell. */
export const forumShapes: Record<string, z.ZodType> = { ...pictureShapes, ...reportShapes, ...moderationShapes }
