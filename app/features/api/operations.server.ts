import type { z } from 'zod'
import { chatOperations, chatShapes } from '~/features/chat/chat.api.server.ts'
import { discussionOperations, discussionShapes } from '~/features/discussion/discussion.api.server.ts'
import { forumOperations, forumShapes } from '~/features/forum/forum.api.server.ts'
import { noticeOperations, noticeShapes } from '~/features/notifications/notifications.api.server.ts'
import { questionOperations, questionShapes } from '~/features/questions/questions.api.server.ts'
import { tagOperations, tagShapes } from '~/features/tags/tags.api.server.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { ownOperations, ownShapes } from './me.server.ts'

/** Everything that the API can do. A feature that is to be in it adds its list here. */
export const operations: Operation[] = [
	...questionOperations,
	...discussionOperations,
	...tagOperations,
	...forumOperations,
	...noticeOperations,
	...chatOperations,
	...ownOperations,
]

/** The shapes that operations take and tell, by the names that the description gives them. */
export const shapes: Record<string, z.ZodType> = {
	...questionShapes,
	...discussionShapes,
	...tagShapes,
	...forumShapes,
	...noticeShapes,
	...chatShapes,
	...ownShapes,
}
