import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'
import { endWhatIsOver } from './editing.server.ts'
import { projectPlace } from './items.queries.server.ts'

export const profileEditor = defineFeature({
	name: 'profile-editor',
	schedules: [{ name: 'end-openings', every: 'hour', run: endWhatIsOver }],
	termPlaces: [projectPlace],
	pictureForms: [{ path: /^\/edit-profile\/.+$/, tooLarge: pictureRefusals.bytes }],
})
