import type { z } from 'zod'
import { features } from '~/features/index.server.ts'
import { mergeByName } from '~/platform/feature.ts'
import type { Operation } from '~/platform/http/operation.ts'

const parts = features.flatMap(({ api }) => api ?? [])

/** Everything that the API can do. */
export const operations: Operation[] = parts.flatMap((part) => part.operations)

/** The shapes that operations take and tell, by the names that the description gives them. */
export const shapes: Record<string, z.ZodType> = mergeByName(parts.map(({ schemas }) => schemas))
