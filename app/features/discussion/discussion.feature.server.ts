import { questionRoom } from '~/features/questions/questions.events.ts'
import { isId } from '~/lib/checks.ts'
import { defineFeature } from '~/platform/feature.ts'
import type { MemberTable } from '~/platform/member-data.ts'
import { inBackground, type Tab } from '~/platform/realtime/io.server.ts'
import { isOpenQuestion, listNewerComments } from './comments.queries.server.ts'
import { discussionOperations, discussionShapes } from './discussion.api.server.ts'
import { questionPage } from './discussion.server.ts'
import { scoreCounters } from './votes.queries.server.ts'

export const discussion = defineFeature({
	name: 'discussion',
	api: { operations: discussionOperations, schemas: discussionShapes },
	cachedPages: [questionPage],
	onConnect: watchQuestions,
	counters: scoreCounters,
	memberData: {
		question_votes: { called: 'Votes for queries', ...votesFor('question_id') },
		comment_votes: { called: 'Votes for comments', ...votesFor('comment_id') },
	},
})

function votesFor(post: string): MemberTable {
	const merge = { user_id: { unlessSame: [post] } }
	return { members: { user_id: 'deleted' }, merge, archive: [post, 'value', 'voted_at'] }
}

/** Lets a tab say which question it shows, one at a time: of two overlapping lookups, the later counts. */
function watchQuestions(tab: Tab): void {
	let latest = 0
	const watch = async (questionId: unknown, after: unknown, answer: unknown) => {
		latest += 1
		const turn = latest
		for (const room of tab.rooms) if (room.startsWith('query:')) await tab.leave(room)
		if (!isId(questionId) || !(await isOpenQuestion(questionId)) || turn !== latest) return
		await tab.join(questionRoom(questionId))
		// Looked up once the tab is in the room, which gets all later commits.
		const known = after === 0 || isId(after) ? after : null
		if (known !== null && typeof answer === 'function')
			answer(await listNewerComments(questionId, known, tab.data.userId))
	}
	tab.on('query:watch', (questionId: unknown, after: unknown, answer: unknown) =>
		inBackground(watch(questionId, after, answer)),
	)
}
