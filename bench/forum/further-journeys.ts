import { NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/directory.server.ts'
import { suggestEverything } from '~/features/finder/everything.server.ts'
import { searchEverything } from '~/features/finder/finder.server.ts'
import { listCases } from '~/features/moderation/queue.server.ts'
import { listPosts } from '~/features/profiles/posts.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { postKinds } from '~/features/profiles/profiles.view.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { listRelated } from '~/features/related/related.server.ts'
import { listAnswerable } from '~/features/routing/answerable.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import type { Journey, Samples } from './samples.ts'

/** The search operators in further combinations, the search of everything, and the pages around the forum. */
export function furtherJourneys(samples: Samples, pick: <Item>(list: readonly Item[]) => Item): Journey[] {
	const member = (id: number): SignedIn => ({ id, username: 'nobody', name: 'Nobody', image: null, role: 'member' })
	const someone = () => member(pick(samples.userIds))
	const search = async (text: string) => (await listQuestions(null, { search: text })).rows.length
	const words = ['rare', 'common', 'veryCommon'] as const
	const frequency = { rare: 'a rare word', common: 'a common word', veryCommon: 'a very common word' }
	const operators: [operator: string, () => string][] = [
		['tag:', () => `tag:${pick(samples.commonTags)}`],
		['category:', () => `category:${pick(samples.categories)}`],
		['user:', () => `user:${pick(samples.users)}`],
		['is:solved', () => 'is:solved'],
		['is:unanswered', () => 'is:unanswered'],
		['-is:solved', () => '-is:solved'],
		['is:unanswered tag:', () => `is:unanswered tag:${pick(samples.commonTags)}`],
		['in:title', () => 'in:title'],
		['in:text', () => 'in:text'],
		['in:comments', () => 'in:comments'],
		['-word', () => `-${pick(samples.veryCommon)}`],
		['-rare word', () => `-${pick(samples.rare)}`],
		['-tag:', () => `-tag:${pick(samples.commonTags)}`],
	]
	const searches = operators.flatMap(([operator, text]) =>
		words.map((kind): Journey => {
			const name = `operator: ${operator}, with ${frequency[kind]}`
			return [name, () => search(`${text()} ${pick(samples[kind])}`)]
		}),
	)
	const everything = async (q: string, kind: 'people' | 'questions' | null = null) => {
		const found = await searchEverything(someone(), { q, kind, cursor: null }, false)
		return found.questions.rows.length + found.people.rows.length
	}
	const offered = async (typed: string) => {
		const found = await suggestEverything(someone(), typed)
		return found.questions.length + found.people.length + found.tags.length
	}
	const start = (text: string, least: number) => text.slice(0, least + (text.length % 3))
	const posts = postKinds.map(
		({ kind }): Journey => [
			`profile: ${kind}`,
			async () => {
				const viewer = someone()
				const username = pick(samples.users)
				const profile = await getProfile(viewer, username)
				const { page } = await listPosts(viewer, profile.username, { kind, cursor: null })
				return page.rows.length
			},
		],
	)
	const staff = { ...member(1), role: 'admin' } as const
	return [
		...searches,
		['operator: none, the beginning of a word', () => search(start(pick(samples.common), 4))],
		['operator: none, three common words', () => search(words3(samples, pick))],
		['everything: a common word', () => everything(pick(samples.common))],
		['everything: two common words', () => everything(`${pick(samples.common)} ${pick(samples.common)}`)],
		['everything: a word with a minus', () => everything(`${pick(samples.common)} -${pick(samples.veryCommon)}`)],
		['everything: a phrase', () => everything(`"${pick(samples.phrases)}"`)],
		['everything: a tag with a word', () => everything(`tag:${pick(samples.commonTags)} ${pick(samples.common)}`)],
		['everything: somebody by name', () => everything(pick(samples.users).split(/[-_.\d]/)[0] ?? '')],
		['switcher: a common word', () => offered(pick(samples.common))],
		['switcher: the beginning of a word', () => offered(start(pick(samples.common), 2))],
		['switcher: the beginning of a title', () => offered(pick(samples.questions).title.slice(0, 20))],
		...posts,
		[
			'profile: list of who asks most',
			async () => (await listQuestions(null, { author: pick(samples.busy) })).rows.length,
		],
		['community', async () => (await listCommunity(NO_CRITERIA, null, someone())).page.rows.length],
		['related', async () => (await listRelated(null, pick(samples.places).id)).rows.length],
		['answer', async () => (await listAnswerable(someone(), null)).rows.length],
		['moderation, newest', async () => (await listCases(staff, { order: 'newest', cursor: null })).rows.length],
		[
			'moderation, most reported, any later page',
			async () => (await listCases(staff, { order: 'reported', cursor: encodeCursor([2, 1_000]) })).rows.length,
		],
	]
}

function words3(samples: Samples, pick: <Item>(list: readonly Item[]) => Item): string {
	return [pick(samples.common), pick(samples.common), pick(samples.common)].join(' ')
}
