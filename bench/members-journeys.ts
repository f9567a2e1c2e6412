import { type GeneratedMember, generateMember, seededRandom, skills } from '~/features/demo/people/people.ts'
import { type Criteria, NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/directory.server.ts'
import { suggest } from '~/features/directory/suggestions.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { ordinal } from '~/lib/text.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'

/** The measured pages, with different parameters at each call, taken from random members. */
export function journeys(size: number): [name: string, page: () => Promise<number>][] {
	const random = seededRandom(size)
	const someone = () => generateMember(1 + Math.floor(random() * size))
	const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? ''
	const projectsOf = ({ projects }: GeneratedMember) =>
		projects.length > 0 ? projects.map((one) => one.project_title) : ['Bus']
	const viewer = { id: 1, username: 'nobody', name: 'Nobody', image: null, role: 'member' } as const
	const list = async (criteria: Partial<Criteria>, cursor: string | null = null) => {
		const { page } = await listCommunity({ ...NO_CRITERIA, ...criteria }, cursor, viewer)
		return page.rows.length
	}
	const anywhere = () => (random() < 0.3 ? null : encodeCursor(['newest', 0, 21 + Math.floor(random() * size)]))
	return [
		['community list, first page or any later one', () => list({}, anywhere())],
		[
			'filters: a skill, open to something',
			() => list({ skills: [pick(someone().skills)], openTo: random() < 0.5 ? ['mentoring'] : ['teammates'] }),
		],
		['filters: two skills', () => list({ skills: commonest(someone().skills, 2) })],
		['filters: branch, year', () => list(studies(someone()))],
		[
			'filters: branch, year, university',
			() => list({ ...studies(someone()), universities: [someone().profile.university_name] }),
		],
		['recently active, a skill', () => list({ sort: 'active', skills: [pick(someone().skills)] })],
		['search: a name with a typo', () => list({ q: withTypo(someone().name, random) })],
		['search: three skills', () => list({ q: someone().skills.slice(0, 3).join(' ') })],
		['search: a city', () => list({ q: someone().profile.city })],
		['search: a project', () => list({ q: pick(projectsOf(someone())) })],
		['search: a word of “About me”', () => list({ q: pick(someone().profile.about.split(' ').slice(3)) })],
		[
			'search: a skill, a branch and a year as words',
			() => {
				const { skills: own, profile } = someone()
				return list({ q: `${pick(own)} ${profile.enrol_in_branch_name} ${ordinal(profile.current_year)} year` })
			},
		],
		['search: a name and a word that nobody has', () => list({ q: `${someone().name.split(' ')[0]} zzqqxx` })],
		[
			'suggestions, 2 to 7 letters',
			async () => {
				const { name, skills: own, profile } = someone()
				const typed = pick([name, name.split(' ')[1] ?? '', pick(own), profile.university_name])
				return (await suggest(typed.slice(0, 2 + Math.floor(random() * 6)), null)).people.length
			},
		],
		[
			'profile page',
			async () => {
				const { username } = await getProfile(viewer, someone().username)
				await listQuestions(viewer, { author: username, limit: 10 })
				return 1
			},
		],
	]
}

function studies({ profile }: GeneratedMember): Partial<Criteria> {
	return { branches: [profile.enrol_in_branch_name], years: [profile.current_year] }
}

/** The most frequent skills of a member: with them a page is full at both sizes. */
function commonest(own: string[], count: number): string[] {
	return own.toSorted((one, other) => skills.indexOf(one) - skills.indexOf(other)).slice(0, count)
}

/** A name with a letter missing, wrong, added, or swapped with its neighbour. */
function withTypo(name: string, random: () => number): string {
	const words = name.split(' ')
	const which = Math.floor(random() * words.length)
	const word = words[which] ?? ''
	const at = 1 + Math.floor(random() * (word.length - 2))
	const kinds = [
		word.slice(0, at) + word.slice(at + 1),
		`${word.slice(0, at)}x${word.slice(at + 1)}`,
		`${word.slice(0, at)}e${word.slice(at)}`,
		word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
	]
	words[which] = kinds[Math.floor(random() * kinds.length)] ?? word
	return words.join(' ')
}
