import type { z } from 'zod'
import { features } from '~/features/index.server.ts'
import { mergeByName } from '~/platform/feature.ts'
import type { Operation } from '~/platform/http/operation.ts'

const parts = features.flatMap(({ api }) => api ?? [])

/** The headings that come first in the description, in this order; any others follow in the order of the features. */
const headings = [
	'Queries',
	'Comments',
	'Votes and solutions',
	'Categories and tags',
	'Following',
	'Drafts',
	'Pictures',
	'Reports',
	'Moderation',
	'Notifications',
	'Messages',
	'You',
]

/** Everything that the API can do, in the order of the description. */
export const operations: Operation[] = parts
	.flatMap((part) => part.operations)
	.sort((one, other) => orderOf(one) - orderOf(other))

/** The shapes that operations take and tell, by the names that the description gives them. */
export const apiShapes: Record<string, z.ZodType> = mergeByName(parts.map(({ schemas }) => schemas))

function orderOf({ group }: Operation): number {
	const index = headings.indexOf(group)
	return index < 0 ? headings.length : index
}
