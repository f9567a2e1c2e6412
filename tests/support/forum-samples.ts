import type { CommentView } from '~/features/discussion/comment.view.ts'
import type { QuestionCardView, QuestionPageView } from '~/features/questions/question.view.ts'

/* Views of a question and a comment, for tests of components. */

const author = { username: 'rohan', name: 'Rohan Kitefield', image: null }

export function sampleCard(changes: Partial<QuestionCardView> = {}): QuestionCardView {
	return {
		id: 7,
		url: '/forum/javascript/rohan/7',
		title: 'Why does my useEffect fetch twice?',
		excerpt: 'Every request goes out two times.',
		category: { slug: 'javascript', title: 'JavaScript' },
		author,
		tags: ['react', 'hooks'],
		createdAt: '2026-11-21T05:12:33.123456Z',
		score: 4,
		commentCount: 2,
		solved: false,
		mayEdit: false,
		mayDelete: false,
		...changes,
	}
}

export function sampleQuestion(changes: Partial<QuestionPageView> = {}): QuestionPageView {
	return {
		...sampleCard(),
		description: 'Every request goes out **two** times.',
		descriptionHtml: '<p>Every request goes out <strong>two</strong> times.</p>',
		version: 1,
		editedAt: null,
		origin: null,
		vote: 0,
		own: false,
		bookmarked: false,
		following: false,
		affected: false,
		invited: false,
		affectedCount: 0,
		locked: false,
		unpublished: null,
		deletedBy: null,
		...changes,
	}
}

export function sampleComment(changes: Partial<CommentView> = {}): CommentView {
	return {
		id: 1,
		author: { username: 'odalys', name: 'Odalys Fernbrook', image: null },
		bodyHtml: '<p>Abort it.</p>',
		body: null,
		createdAt: '2026-11-21T06:00:00.000000Z',
		editedAt: null,
		version: 1,
		deleted: false,
		unpublished: null,
		solution: false,
		chosenAt: null,
		outdated: null,
		saysOutdated: false,
		mayChoose: false,
		vote: 0,
		own: false,
		bookmarked: false,
		score: 0,
		depth: 0,
		byAsker: false,
		mayEdit: false,
		mayDelete: false,
		origin: null,
		replies: [],
		hiddenReplies: 0,
		...changes,
	}
}
