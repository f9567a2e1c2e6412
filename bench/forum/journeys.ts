import type { ListView } from '~/features/questions/questions.queries.server.ts'
import '~/features/index.server.ts'
import { suggestMentions } from '~/features/asking/asking.server.ts'
import { seededRandom } from '~/features/demo/people/people.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { findSimilar } from '~/features/search/similar/similar.server.ts'
import { getTag, listRelatedTags, suggestTags } from '~/features/tags/tags.server.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import type { Samples } from './samples.ts'

export type Journey = [name: string, page: () => Promise<number>]

const views: ListView[] = ['newest', 'active', 'unanswered', 'solved']

/** The measured pages, with different parameters at each call, through the site's use cases. */
export function journeys(samples: Samples): Journey[] {
	const random = seededRandom(11)
	const pick = <Item>(list: readonly Item[]): Item => {
		const item = list[Math.floor(random() * list.length)]
		if (item === undefined) throw new Error('This forum has nothing to measure one of the journeys with.')
		return item
	}
	const deep = (view: ListView) => {
		const { id, created_at, active_at } = pick(samples.places)
		return encodeCursor([view === 'active' ? active_at : created_at, id])
	}
	const list = async (input: Parameters<typeof listQuestions>[1]) => (await listQuestions(null, input)).rows.length
	const search = async (text: string) => {
		const { rows } = await listQuestions(null, { search: text })
		return rows.length
	}
	const tagPage = async (tag: string, view: ListView, cursor: string | null) => {
		const { id } = await getTag(null, tag)
		const [{ rows }] = await Promise.all([
			listQuestions(null, { tag, tagId: id, view, cursor }),
			listRelatedTags(id, 12),
		])
		return rows.length
	}
	const read = async (comments: 5 | 50 | 2_000, sort: 'oldest' | 'best') => {
		const { id, author } = await getQuestion(null, pick(samples.discussed[comments]))
		return (await listComments(null, { questionId: id, askerUsername: author.username, sort })).rows.length
	}
	const similar = async (asked: Parameters<typeof findSimilar>[0]) => (await findSimilar(asked)).length
	const lists = views.flatMap((view): Journey[] => [
		[`list: ${view}, first page`, () => list({ view })],
		[`list: ${view}, any later page`, () => list({ view, cursor: deep(view) })],
		[
			`category: ${view}`,
			() => list({ category: pick(samples.categories), view, cursor: random() < 0.5 ? null : deep(view) }),
		],
		[`tag, common: ${view}`, () => tagPage(pick(samples.commonTags), view, random() < 0.5 ? null : deep(view))],
		[`tag, rare: ${view}`, () => tagPage(pick(samples.rareTags), view, null)],
	])
	const searches: [string, () => string][] = [
		['a rare word', () => pick(samples.rare)],
		['a common word', () => pick(samples.common)],
		['a word in more than a fifth of all', () => pick(samples.veryCommon)],
		['two very common words', () => `${pick(samples.veryCommon)} ${pick(samples.veryCommon)}`],
		['two common words', () => `${pick(samples.common)} ${pick(samples.common)}`],
		['a common and a rare word', () => `${pick(samples.common)} ${pick(samples.rare)}`],
		['a phrase', () => `"${pick(samples.phrases)}"`],
		['a phrase of very common words', () => `"${pick(samples.veryCommon)} ${pick(samples.veryCommon)}"`],
		['a minus', () => `${pick(samples.common)} -${pick(samples.veryCommon)}`],
		['tag:, with a word', () => `tag:${pick(samples.commonTags)} ${pick(samples.common)}`],
		['rare tag:, with a very common word', () => `tag:${pick(samples.rareTags)} ${pick(samples.veryCommon)}`],
		[
			'tag: and tag:',
			() =>
				pick(samples.tagPairs)
					.map((tag) => `tag:${tag}`)
					.join(' '),
		],
		['two tags by chance', () => `tag:${pick(samples.commonTags)} tag:${pick(samples.rareTags)}`],
		['category:, with a word', () => `category:${pick(samples.categories)} ${pick(samples.common)}`],
		['category: and tag:', () => `category:${pick(samples.categories)} tag:${pick(samples.commonTags)}`],
		['two categories', () => `category:${pick(samples.categories)} category:${pick(samples.categories)}`],
		['user:', () => `user:${pick(samples.users)}`],
		['user:, with a very common word', () => `user:${pick(samples.users)} ${pick(samples.veryCommon)}`],
		['is:solved user:', () => `is:solved user:${pick(samples.users)}`],
		['is:unanswered user: of who asks most', () => `is:unanswered user:${pick(samples.busy)}`],
		['is:unanswered tag:', () => `is:unanswered tag:${pick(samples.commonTags)}`],
		[
			'is:unanswered category: tag:',
			() => `is:unanswered category:${pick(samples.categories)} tag:${pick(samples.rareTags)}`,
		],
		['user: tag:', () => `user:${pick(samples.users)} tag:${pick(samples.commonTags)}`],
		['a typo', () => withTypo(pick(samples.common), random)],
		['a typo beside a very common word', () => `${withTypo(pick(samples.rare), random)} ${pick(samples.veryCommon)}`],
		['nothing found', () => `xq${Math.floor(random() * 1e9).toString(36)}zz`],
	]
	return [
		...lists,
		...searches.map(([name, text]): Journey => [`search: ${name}`, () => search(text())]),
		['query, 5 comments', () => read(5, 'oldest')],
		['query, 50 comments', () => read(50, 'oldest')],
		['query, 2,000 comments', () => read(2_000, 'oldest')],
		['query, 5 comments, best first', () => read(5, 'best')],
		['query, 2,000 comments, best first', () => read(2_000, 'best')],
		['similar, a title', () => similar({ title: pick(samples.questions).title })],
		['similar, a title and a description', () => similar(pick(samples.questions))],
		['similar, two common words', () => similar({ title: `${pick(samples.common)} ${pick(samples.common)}` })],
		[
			'similar, three very common words',
			() => similar({ title: `${pick(samples.veryCommon)} ${pick(samples.veryCommon)} ${pick(samples.veryCommon)}` }),
		],
		[
			'suggested people',
			async () =>
				(
					await suggestMentions(
						pick(samples.users).slice(0, 1 + Math.floor(random() * 5)),
						pick(samples.discussed[50]),
						8,
					)
				).length,
		],
		[
			'suggested tags',
			async () => (await suggestTags(pick(samples.commonTags).slice(0, 1 + Math.floor(random() * 3)), 8)).length,
		],
		[
			'notifications',
			async () => (await listNotifications(member(pick(samples.userIds)), { unseen: true })).rows.length,
		],
	]
}

function member(id: number) {
	return { id, username: 'nobody', name: 'Nobody', image: null, role: 'member' } as const
}

/** A word with a letter missing. */
function withTypo(word: string, random: () => number): string {
	const at = 1 + Math.floor(random() * (word.length - 2))
	return word.slice(0, at) + word.slice(at + 1)
}
