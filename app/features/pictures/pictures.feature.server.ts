import { defineFeature } from '~/platform/feature.ts'
import { pictureOperations, pictureShapes } from './pictures.api.server.ts'
import { sweepPictures } from './pictures.server.ts'
import { pictureRefusals } from './pictures.view.ts'

export const pictures = defineFeature({
	name: 'pictures',
	api: { operations: pictureOperations, schemas: pictureShapes },
	schedules: [{ name: 'sweep-pictures', every: 'hour', run: sweepPictures }],
	pictureForms: [{ path: /^\/media(\.data)?$/, tooLarge: pictureRefusals.bytes, isScript: true }],
	memberData: {
		pictures: {
			members: { user_id: 'deleted' },
			merge: { user_id: 'moves' },
			archive: ['path', 'kind', 'width', 'height', 'bytes', 'colour', 'created_at'],
		},
		forgotten_pictures: 'whose files are to be removed within the hour',
	},
})
