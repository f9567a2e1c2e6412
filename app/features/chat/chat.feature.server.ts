import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'
import { mailMessages } from './away/mailing.server.ts'
import { pushMessage } from './away/pushing.server.ts'
import { chatOperations, chatShapes } from './chat.api.server.ts'
import { receiveChat } from './chat.sockets.server.ts'
import { learnOwnWords } from './search/search.server.ts'

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		message: never
	}
}

export const chat = defineFeature({
	name: 'chat',
	api: { operations: chatOperations, schemas: chatShapes },
	jobs: { 'push-message': pushMessage, 'learn-own-words': learnOwnWords },
	schedules: [{ name: 'mail-messages', every: 'minute', run: mailMessages }],
	onConnect: receiveChat,
	// Messages are in the inbox in any case; no notification is stored for them.
	notificationKinds: { message: { label: 'Messages', order: 70, words: 'wrote to you', always: ['site'] } },
	pictureForms: [{ path: /^\/messages\/[^/]+$/, tooLarge: pictureRefusals.bytes }],
})
