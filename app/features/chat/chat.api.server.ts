import type { Operation } from '~/platform/http/operation.ts'
import { conversationOperations } from './api/conversations.server.ts'
import { messageOperations } from './api/messages.server.ts'
import { safetyOperations } from './api/safety.server.ts'
import { shapes } from './api/shapes.server.ts'

/** A member's own conversations as JSON: the use cases of the pages and the socket. */
export const chatOperations: Operation[] = [...conversationOperations, ...messageOperations, ...safetyOperations]

/** Under which names the description knows what these take and tell. */
export const chatShapes = shapes
