import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'

import { profileOperations } from './profiles.api.server.ts'
import { profileSubject } from './profiles.subjects.server.ts'

export const profiles = defineFeature({
	name: 'profiles',
	api: { operations: profileOperations, schemas: {} },
	subjects: [profileSubject],
	pictureForms: [{ path: /^\/edit-profile\/.+$/, tooLarge: pictureRefusals.bytes }],
})
