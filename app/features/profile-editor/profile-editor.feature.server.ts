import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { defineFeature } from '~/platform/feature.ts'
import { clearExpired } from './editing.server.ts'
import { projectTerms } from './items.queries.server.ts'

export const profileEditor = defineFeature({
	name: 'profile-editor',
	schedules: [{ name: 'end-openings', every: 'hour', run: clearExpired }],
	termSources: [projectTerms],
	pictureForms: [{ path: /^\/edit-profile\/.+$/, tooLarge: pictureRefusals.bytes }],
	memberData: {
		experiences: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['kind', 'organisation', 'title', 'degree', 'starts', 'ends'] } },
			called: 'Education and experience',
			archive: [
				'experience_id',
				'kind',
				'organisation',
				'title',
				'degree',
				'url',
				'starts',
				'ends',
				'summary',
				'position',
				'created_at',
			],
			mentions: { summary: null },
		},
		projects: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['project_title', 'project_source_code_link', 'project_deployment_link'] } },
			called: 'Projects',
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
				'pinned',
				'created_at',
			],
			mentions: { project_description: null },
		},
		certificates: {
			members: { user_id: 'deleted' },
			merge: {
				user_id: {
					unlessSame: [
						'certificate_title',
						'certificate_issue_date',
						'certificate_url',
						'credential_verification_link',
					],
				},
			},
			called: 'Certificates',
			archive: [
				'certificate_id',
				'certificate_title',
				'certificate_image',
				'certificate_issue_date',
				'certificate_expire_date',
				'certificate_url',
				'credential_verification_link',
				'position',
				'pinned',
				'created_at',
			],
		},
	},
})
