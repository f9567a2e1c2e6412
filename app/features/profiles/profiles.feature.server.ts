import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'

export const profiles = defineFeature({
	name: 'profiles',
	pictureForms: [{ path: /^\/edit-profile\/.+$/, tooLarge: pictureRefusals.bytes }],
})
