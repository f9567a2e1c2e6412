import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'

export const chatPictures = defineFeature({
	name: 'chat-pictures',
	pictureForms: [{ path: /^\/messages\/[^/]+$/, tooLarge: pictureRefusals.bytes }],
	memberData: {
		message_pictures: 'follows messages',
		reported_pictures: 'follows reported messages',
	},
})
