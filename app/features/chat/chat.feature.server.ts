import { chatShapes } from '~/features/inbox/api/shapes.server.ts'
import { chatOperations } from '~/features/inbox/inbox.api.server.ts'
import { learnOwnWords } from '~/features/inbox/search/search.server.ts'
import { messageKind } from '~/features/inbox/unseen.server.ts'
import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'
import { receiveChat } from './chat.sockets.server.ts'

export const chat = defineFeature({
	name: 'chat',
	api: { operations: chatOperations, schemas: chatShapes },
	jobs: { 'learn-own-words': learnOwnWords },
	onConnect: receiveChat,
	notificationKinds: { message: messageKind },
	pictureForms: [{ path: /^\/messages\/[^/]+$/, tooLarge: pictureRefusals.bytes }],
})
