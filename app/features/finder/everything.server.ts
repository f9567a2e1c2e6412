import { presentFound } from '~/features/directory/directory.server.ts'
import { findMembers } from '~/features/directory/finding.server.ts'
import { studiesText } from '~/features/members/members.view.ts'
import { findMatches, parseSearch } from '~/features/search/search.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { suggestTags } from '~/features/tags/tags.server.ts'
import { tagPath } from '~/features/tags/tags.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { pluralize } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { listConversationsWith, titleSelection } from './everything.queries.server.ts'
import { appliesToAllKinds, cleanSearch, criteriaOfSearch } from './finder.server.ts'
import type { EverythingView, SwitcherEntry } from './finder.view.ts'
import { findProjects } from './projects.server.ts'

const MAX_OFFERED = { conversations: 3, people: 4, questions: 5, projects: 3, tags: 4 }
/** The minimum length for questions, as a letter is the prefix of hundreds of words. */
const MIN_FOR_QUESTIONS = 2
/** The minimum length for corrections. */
const MIN_FOR_CORRECTION = 5

/** What a reader who types this may want to open, the best of each kind. The kinds are read concurrently. */
export async function suggestEverything(viewer: Viewer, typed: string): Promise<EverythingView> {
	const text = cleanSearch(typed)
	if (text === '') return { conversations: [], people: [], questions: [], projects: [], tags: [] }
	const parsed = parseSearch(text)
	const isOfAll = appliesToAllKinds(parsed)
	const [conversations, people, questions, projects, tags] = await Promise.all([
		viewer && isOfAll ? listConversationsWith(viewer.id, text, MAX_OFFERED.conversations) : [],
		isOfAll ? offerPeople(viewer, parsed) : [],
		text.length >= MIN_FOR_QUESTIONS ? offerQuestions(text) : [],
		viewer && isOfAll ? findProjects(parsed, null, MAX_OFFERED.projects, 'near') : null,
		isOfAll ? suggestTags(text, 2 * MAX_OFFERED.tags) : [],
	])
	return {
		conversations: conversations.map(({ username, name, image }) => ({
			title: name,
			url: `/messages/${username}`,
			note: `@${username}`,
			username,
			image,
		})),
		people,
		questions,
		projects: projects?.rows.map(({ title, url, owner }): SwitcherEntry => ({ title, url, note: owner.name })) ?? [],
		tags: tags
			.filter(({ count }) => count > 0)
			.slice(0, MAX_OFFERED.tags)
			.map(({ name, count }) => ({ title: name, url: tagPath(name), note: pluralize(count, 'query', 'queries') })),
	}
}

async function offerPeople(viewer: Viewer, parsed: ReturnType<typeof parseSearch>): Promise<EverythingView['people']> {
	const criteria = criteriaOfSearch(parsed)
	if (criteria.q === '' && criteria.skills.length === 0) return []
	// While typing, people who match only some of the words are unlikely to be meant, and only a word alone is often two names.
	const loosest = criteria.q.includes(' ') ? 'typos' : 'apart'
	const found = await findMembers(criteria, viewer, null, MAX_OFFERED.people, { loosest })
	return (await presentFound(found)).map(({ username, name, image, why, studies }) => ({
		title: name,
		url: profilePath(username),
		username,
		image,
		note:
			(why && !why.startsWith('Found by') ? why : '') || studiesText({ ...studies, semester: null }) || `@${username}`,
	}))
}

async function offerQuestions(search: string): Promise<SwitcherEntry[]> {
	const { rows, instead } = await findMatches(titleSelection, { search, cursor: null, limit: MAX_OFFERED.questions })
	// Short inputs resemble many words, and the last word may be incomplete.
	if (instead && (instead.kind === 'any' || search.length < MIN_FOR_CORRECTION)) return []
	return rows.map((row) => ({ title: row.title, url: questionUrl(row), note: row.category_title }))
}
