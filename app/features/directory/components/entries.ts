import { anybody, communityPath, type Wish } from '../directory.paths.ts'
import type { SuggestionsView } from '../directory.view.ts'

/** One suggestion: where it leads. */
export interface Entry {
	key: string
	href: string
	/** It narrows the list to something instead of searching: what was typed has done its work. */
	leavesSearch: boolean
}

/** The suggestions in the order in which the arrow keys reach them: people, skills, universities. */
export function entriesOf({ people, skills, universities }: SuggestionsView, wish: Wish): Entry[] {
	const plain = { ...wish, q: '' }
	return [
		...people.map(({ username }) => ({ key: `@${username}`, href: `/find-dev/${username}`, leavesSearch: false })),
		...skills.map(({ name }) => ({
			key: `skill ${name}`,
			href: communityPath({ ...plain, skills: [...new Set([...plain.skills, name])] }),
			leavesSearch: true,
		})),
		...universities.map(({ name }) => ({
			key: `university ${name}`,
			href: communityPath({ ...anybody, universities: [name] }),
			leavesSearch: true,
		})),
	]
}
