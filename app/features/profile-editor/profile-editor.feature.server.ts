import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'

export const profileEditor = defineFeature({
	name: 'profile-editor',
	pictureForms: [{ path: /^\/edit-profile\/.+$/, tooLarge: pictureRefusals.bytes }],
})
