import { z } from 'zod'
import { EVIDENCE_EXPLANATION, EVIDENCE_PATH } from '~/features/evidence/evidence.view.ts'
import { reportOperation } from '~/features/moderation/moderation.api.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { defineFeature } from '~/platform/feature.ts'
import { operation, requireCaller } from '~/platform/http/operation.ts'
import { mergeProfiles } from './merging.queries.server.ts'
import { listSkillsWithEvidence } from './profiles.server.ts'
import { profileSubject } from './profiles.subjects.server.ts'

const username = z.string().max(60)

const skill = z.object({
	name: z.string(),
	level: z.enum(['some', 'good', 'strong']).nullable().describe('null for a skill without evidence.'),
	evidence: z
		.object({
			solutions: z.int().describe('Accepted answers.'),
			answers: z.int().describe('Other answers with more votes for than against them.'),
			projects: z.int(),
			certificates: z.int(),
			pieces: z
				.array(
					z.object({
						kind: z.enum(['solution', 'answer', 'project', 'certificate']),
						title: z.string().describe('Of the query that was answered, of the project or of the certificate.'),
						url: z.string().describe('Path that leads to it.'),
						at: z.string().meta({ format: 'date-time' }),
					}),
				)
				.describe('The strongest evidence.'),
		})
		.nullable(),
})

const skillList = z.object({ rows: z.array(skill) })

/** Profiles as JSON. */
const profileOperations = [
	operation({
		id: 'listSkills',
		group: 'People',
		method: 'get',
		path: '/profiles/{username}/skills',
		summary: 'List the skills of a member with their evidence',
		description: `The strongest first. ${EVIDENCE_EXPLANATION} The weights are explained at ${EVIDENCE_PATH}.`,
		access: 'members',
		params: { username },
		answer: skillList,
		refusals: [404],
		run: async (call) => ({ rows: await listSkillsWithEvidence(requireCaller(call), call.params.username) }),
	}),
	reportOperation({
		id: 'reportProfile',
		type: MEMBER_SUBJECT,
		path: '/profiles/{username}/reports',
		summary: 'Report a profile to the moderators',
		param: { username },
	}),
]

export const profiles = defineFeature({
	name: 'profiles',
	api: { operations: profileOperations, schemas: { Skill: skill, SkillList: skillList } },
	subjects: [profileSubject],
	merging: [mergeProfiles],
	memberData: {
		profiles: {
			members: { user_id: 'deleted' },
			merge: { user_id: { step: 'fills what the kept profile leaves empty' } },
			archive: [
				'phone',
				'city',
				'expertise_in',
				'about',
				'open_to',
				'university_name',
				'location',
				'enrol_in_branch_name',
				'year_of_passing',
				'current_semester',
				'current_year',
				'enrolment_number',
				'university_email',
				'github',
				'linkedin',
				'leetcode',
				'portfolio',
				'hackerrank',
				'codechef',
				'geeksforgeek',
				'show_email',
				'show_phone',
				'listed',
				'show_presence',
				'only_me',
				'public_sections',
				'public_page',
				'noindex',
				'open_until',
				'status_line',
				'status_until',
				'pronouns',
				'last_seen_at',
				'campus_name',
				'campus_verified_at',
				'hidden_at',
				'hidden_reason',
				'hidden_image',
			],
			withheld: { about_html: 'made of about' },
			mentions: { about: null, about_html: null, status_line: null },
		},
	},
})
