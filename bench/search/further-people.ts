import { type GeneratedMember, seededRandom } from '~/features/demo/people/people.ts'
import { startSet } from '~/features/terms/terms.server.ts'
import { type KnownSearch, knownPerson, plain } from './known-people.ts'

/*
 * The generated community of known-people.ts with skills sampled from the whole vocabulary, middle initials and years of graduation, and
 * further kinds of searches: any spelling of any term, typos of every kind in any position, sentences, years and branches in any wording.
 */

type Way = (person: GeneratedMember, random: () => number) => KnownSearch | null

const terms = startSet()
const spellings = new Map(terms.map(({ name, aliases }) => [name, aliases]))
/** The year of graduation of members in their last year. */
const lastYear = 2026

/** The generated member with this number; deterministic. */
export function furtherPerson(number: number): GeneratedMember {
	const random = seededRandom(number * 11 + 5)
	const base = knownPerson(number)
	const [first = '', last = ''] = base.name.split(' ')
	const initial = String.fromCharCode(65 + Math.floor(random() * 13))
	const skills = Array.from({ length: 5 }, () => oneOf(terms, random)?.name ?? '')
	const year = base.profile.current_year
	return {
		...base,
		name: random() < 0.2 ? `${first} ${initial}. ${last}` : base.name,
		profile: { ...base.profile, year_of_passing: lastYear + 4 - year },
		skills: [...new Set([...(random() < 0.5 ? base.skills.slice(0, 1) : []), ...skills])],
	}
}

function oneOf<Item>(list: readonly Item[], random: () => number): Item | undefined {
	return list[Math.floor(random() * list.length)]
}

function shuffled<Item>(items: Item[], random: () => number): Item[] {
	return items
		.map((item) => ({ item, key: random() }))
		.toSorted((one, other) => one.key - other.key)
		.map(({ item }) => item)
}

/** First and last name, without middle names. */
function partsOf(name: string): [first: string, last: string] {
	const words = name.split(' ')
	return [words[0] ?? '', words.at(-1) ?? '']
}

const hasName = (name: string) => (person: GeneratedMember) =>
	partsOf(person.name).join(' ') === partsOf(name).join(' ')

const neighbouringKeys: Record<string, string> = {
	...{ a: 's', b: 'v', c: 'x', d: 'f', e: 'r', f: 'g', g: 'h', h: 'j', i: 'o', j: 'k', k: 'l', l: 'k', m: 'n', n: 'm' },
	...{ o: 'p', p: 'o', q: 'w', r: 't', s: 'd', t: 'y', u: 'i', v: 'b', w: 'e', x: 'c', y: 'u', z: 'x' },
}

const typos: Record<string, (word: string, at: number) => string> = {
	'two letters swapped': (word, at) => word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
	'a doubled letter': (word, at) => word.slice(0, at) + word[at] + word.slice(at),
	'a missing letter': (word, at) => word.slice(0, at) + word.slice(at + 1),
	'a neighbouring key': (word, at) =>
		word.slice(0, at) + (neighbouringKeys[word[at] ?? ''] ?? 'x') + word.slice(at + 1),
}

function withTypo(name: string, kind: string, random: () => number): string {
	const words = partsOf(plain(name))
	const which = random() < 0.5 ? 0 : 1
	const word = words[which]
	words[which] = typos[kind]?.(word, Math.floor(random() * (word.length - 1))) ?? word
	return words.join(' ')
}

const ofTypos: Record<string, Way> = Object.fromEntries(
	Object.keys(typos).map((kind) => [
		`name with ${kind}`,
		({ name }: GeneratedMember, random: () => number) => {
			const q = withTypo(name, kind, random)
			return q === partsOf(plain(name)).join(' ') ? null : { q, isRight: hasName(name) }
		},
	]),
)

/** Names of a branch that people use to search for its students. */
const branchWords: Record<string, string[]> = {
	CSE: ['cse', 'CS', 'comp sci', 'computer engg', 'computer science & engineering'],
	'Information Technology': ['it', 'info tech', 'information technology'],
	ECE: ['ece', 'entc', 'electronics & communication', 'electronics engineering'],
	Mechanical: ['mech', 'mechanical engg', 'mechanical'],
	'Civil Engineering': ['civil', 'civil engg'],
	EEE: ['eee', 'electrical and electronics', 'electrical & electronics engg'],
	Biotechnology: ['biotech', 'bio tech', 'biotechnology'],
}
const yearWords: string[][] = [
	[],
	['1st year', 'first year', 'I year', 'year 1', 'first-year', '1st yr'],
	['2nd year', 'second year', 'II year', 'year 2', 'second years', '4th sem'],
	['3rd year', 'third year', 'III year', 'year 3', 'pre-final year', '5th sem'],
	['4th year', 'final year', 'fourth year', 'IV year', 'year 4', '8th semester'],
]

const sentences: ((skill: string) => string)[] = [
	(skill) => `${skill} developers`,
	(skill) => `${skill} developer`,
	(skill) => `who knows ${skill}`,
	(skill) => `someone who can do ${skill}`,
	(skill) => `looking for a ${skill} expert`,
	(skill) => `people using ${skill}`,
	(skill) => `${skill} devs`,
]

const skillOf = ({ skills }: GeneratedMember, random: () => number) => oneOf(skills, random) ?? ''
const knows = (skill: string) => (person: GeneratedMember) => person.skills.includes(skill)

export const furtherKinds: Readonly<Record<string, Way>> = {
	'any other spelling of a term': (person, random) => {
		const skill = skillOf(person, random)
		const other = oneOf(spellings.get(skill) ?? [], random)
		return other ? { q: other, isRight: knows(skill) } : null
	},
	'name of a term': (person, random) => {
		const skill = skillOf(person, random)
		return { q: skill, isRight: knows(skill) }
	},
	...ofTypos,
	'last name first': ({ name }) => ({ q: partsOf(name).toReversed().join(' '), isRight: hasName(name) }),
	'name with a middle initial that is not theirs': ({ name }, random) => {
		const [first, last] = partsOf(name)
		const initial = String.fromCharCode(78 + Math.floor(random() * 13))
		return { q: `${first} ${initial}${random() < 0.5 ? '.' : ''} ${last}`, isRight: hasName(name) }
	},
	'name without its middle initial': ({ name }) =>
		name.split(' ').length < 3 ? null : { q: partsOf(name).join(' '), isRight: hasName(name) },
	'a word of an expertise': ({ profile }, random) => {
		const word = oneOf(profile.expertise_in.split(/[\s-]+/), random) ?? ''
		return { q: word.toUpperCase(), isRight: (person) => person.profile.expertise_in.split(/[\s-]+/).includes(word) }
	},
	'city with a typo': ({ profile }, random) => {
		const city = plain(profile.city)
		const kind = oneOf(Object.values(typos), random)
		const q = kind?.(city, Math.floor(random() * (city.length - 1))) ?? ''
		return q === city ? null : { q, isRight: (person) => person.profile.city === profile.city }
	},
	'project, the other way round': ({ projects: [project] }) =>
		project
			? {
					q: project.project_title.split(' ').toReversed().join(' ').toLowerCase(),
					isRight: (person) => person.projects.some((one) => one.project_title === project.project_title),
				}
			: null,
	'two words of a certificate': ({ certificates: [certificate] }, random) => {
		if (!certificate) return null
		const words = shuffled(certificate.certificate_title.split(' '), random).slice(0, 2)
		const has = ({ certificate_title: title }: { certificate_title: string }) =>
			words.every((word) => title.split(' ').includes(word))
		return { q: words.join(' ').toLowerCase(), isRight: (person) => person.certificates.some(has) }
	},
	'skill, branch and year in any order and words': (person, random) => {
		const { profile } = person
		const skill = skillOf(person, random)
		const branch = oneOf(branchWords[profile.enrol_in_branch_name] ?? [], random) ?? ''
		const year = oneOf(yearWords[profile.current_year] ?? [], random) ?? ''
		const known = oneOf([skill, ...(spellings.get(skill) ?? [])], random) ?? ''
		return {
			q: shuffled([known, branch, year], random).join(' '),
			isRight: (other) =>
				knows(skill)(other) &&
				other.profile.enrol_in_branch_name === profile.enrol_in_branch_name &&
				other.profile.current_year === profile.current_year,
		}
	},
	'skill, branch and year of passing': (person, random) => {
		const { profile } = person
		const skill = skillOf(person, random)
		const branch = oneOf(branchWords[profile.enrol_in_branch_name] ?? [], random) ?? ''
		const passing = profile.year_of_passing
		const year = oneOf([`'${passing % 100}`, `${passing}`, `batch of ${passing}`, `${passing} batch`], random) ?? ''
		return {
			q: shuffled([skill, branch, year], random).join(' '),
			isRight: (other) =>
				knows(skill)(other) &&
				other.profile.enrol_in_branch_name === profile.enrol_in_branch_name &&
				other.profile.year_of_passing === passing,
		}
	},
	'a sentence about a skill': (person, random) => {
		const skill = skillOf(person, random)
		return { q: oneOf(sentences, random)?.(skill) ?? '', isRight: knows(skill) }
	},
	'who knows a skill in a city': (person, random) => {
		const skill = skillOf(person, random)
		const { city } = person.profile
		const forms = [
			`who knows ${skill} in ${city}`,
			`${skill} developers in ${city}`,
			`${city} ${skill}`,
			`any ${skill} dev near ${city}?`,
		]
		return {
			q: oneOf(forms, random) ?? '',
			isRight: (other) => knows(skill)(other) && other.profile.city === city,
		}
	},
}
