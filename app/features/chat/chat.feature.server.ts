import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'
import { chatShapes } from './api/shapes.server.ts'
import { chatOperations } from './chat.api.server.ts'
import { receiveChat } from './chat.sockets.server.ts'
import { messageKind } from './messages/unseen.server.ts'
import { learnOwnWords } from './search/search.server.ts'

export const chat = defineFeature({
	name: 'chat',
	api: { operations: chatOperations, schemas: chatShapes },
	jobs: { 'learn-own-words': learnOwnWords },
	onConnect: receiveChat,
	notificationKinds: { message: messageKind },
	pictureForms: [{ path: /^\/messages\/[^/]+$/, tooLarge: pictureRefusals.bytes }],
})
