import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'
import { projectPlace } from './items.queries.server.ts'

export const profileEditor = defineFeature({
	name: 'profile-editor',
	termPlaces: [projectPlace],
	pictureForms: [{ path: /^\/edit-profile\/.+$/, tooLarge: pictureRefusals.bytes }],
	memberData: {
		projects: {
			members: { user_id: 'deleted' },
			archive: [
				'project_id',
				'project_title',
				'project_image',
				'project_source_code_link',
				'project_deployment_link',
				'project_demo_link',
				'project_tech_stack',
				'project_date',
				'project_description',
				'position',
				'created_at',
			],
		},
		certificates: {
			members: { user_id: 'deleted' },
			archive: [
				'certificate_id',
				'certificate_title',
				'certificate_image',
				'certificate_issue_date',
				'certificate_expire_date',
				'certificate_url',
				'credential_verification_link',
				'position',
				'created_at',
			],
		},
	},
})
