import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'
import { projectPlace } from './items.queries.server.ts'

export const profileEditor = defineFeature({
	name: 'profile-editor',
	termPlaces: [projectPlace],
	pictureForms: [{ path: /^\/edit-profile\/.+$/, tooLarge: pictureRefusals.bytes }],
})
