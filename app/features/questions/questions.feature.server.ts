import { defineFeature } from '~/platform/feature.ts'
import { archivedQuestions, archivedRevisions } from './leaving/leaving.queries.server.ts'
import { eraseDeletedPosts, leavePosts } from './leaving/leaving.server.ts'
import { notifyQuestionFollowers, notifyTagFollowers, questionKinds } from './notifying/notifying.server.ts'
import { forumShapes, questionOperations } from './questions.api.server.ts'
import { commentSubject, questionSubject } from './questions.subjects.server.ts'
import { commentCounters } from './writing/writing.queries.server.ts'

export const questions = defineFeature({
	name: 'questions',
	api: { operations: questionOperations, schemas: forumShapes },
	jobs: { 'tell-followers': notifyTagFollowers, 'tell-query-followers': notifyQuestionFollowers },
	notificationKinds: questionKinds,
	counters: commentCounters,
	subjects: [questionSubject, commentSubject],
	leaving: [leavePosts],
	retention: [
		{
			key: 'deleted-posts',
			label: 'Questions and comments that were deleted, with their earlier versions',
			hint: 'Counted from the deletion. One that still waits for a moderator’s decision stays until then.',
			days: { default: 30, min: 1, max: 365 },
			remove: eraseDeletedPosts,
		},
	],
	memberData: {
		question_pins: {
			members: { pinned_by: 'kept' },
			merge: { pinned_by: 'moves' },
			archive: 'acts of a moderator, as the log of moderation has them',
		},
		questions: {
			members: { author_id: 'kept', status_by: 'kept' },
			merge: { author_id: 'moves', status_by: 'moves' },
			called: 'Queries',
			archive: [
				'id',
				'title',
				'description',
				'tags',
				'category',
				'created_at',
				'edited_at',
				'status',
				'status_reason',
				'score',
				'comment_count',
				'source',
				'source_url',
				'licence',
			],
			rows: archivedQuestions,
			withheld: {
				description_html: 'made of the text',
				excerpt: 'made of the text',
				source_id: 'follows from the address',
			},
		},
		comments: {
			members: { author_id: 'kept', status_by: 'kept' },
			merge: { author_id: 'moves', status_by: 'moves' },
			called: 'Comments',
			archive: [
				'id',
				'question_id',
				'parent_id',
				'body',
				'created_at',
				'edited_at',
				'status',
				'status_reason',
				'is_solution',
				'score',
				'source_url',
				'licence',
			],
			withheld: { body_html: 'made of the text', source_id: 'follows from the address' },
		},
		revisions: {
			members: { editor_id: 'kept' },
			merge: { editor_id: 'moves' },
			called: 'Earlier versions of texts',
			archive: ['question_id', 'comment_id', 'made_at', 'title', 'description', 'tags', 'category', 'body'],
			rows: archivedRevisions,
			mentions: { description: null, body: null },
		},
		sent_posts: {
			members: { author_id: 'deleted' },
			merge: { author_id: { ends: 'recognises a form that is sent twice' } },
			archive: 'recognises a form that is sent twice, for a day',
			mentions: { url: null },
		},
		post_pictures: 'follows queries, comments, drafts and edits',
	},
})
