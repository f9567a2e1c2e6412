import {
	abouts,
	branches,
	certificateTitles,
	cities,
	expertises,
	firstBeginnings,
	firstEndings,
	institutions,
	lastBeginnings,
	lastEndings,
	places,
	projectTitles,
	skills,
} from './words.ts'

/** An invented member, with the columns of their rows. */
export interface Person {
	username: string
	name: string
	email: string
	created_at: string
	profile: {
		phone: string
		city: string
		expertise_in: string
		about: string
		open_to: string[]
		university_name: string
		location: string
		enrol_in_branch_name: string
		year_of_passing: number
		current_semester: number
		current_year: number
		github: string
		linkedin: string
		listed: boolean
		show_presence: boolean
		last_seen_at: string | null
	}
	skills: string[]
	projects: { project_title: string; project_description: string; project_tech_stack: string[]; project_date: string }[]
	certificates: { certificate_title: string; certificate_issue_date: string }[]
}

/** Where invented members write from; nobody can be reached there. */
export const seedDomain = 'seed.example'

const firstJoined = Date.UTC(2024, 0, 1)
const minutes = 60_000

/** The invented member of a number, from 1: always the same one. They join in the order of their numbers. */
export function personOf(number: number): Person {
	const random = randomOf(number)
	const pick = (list: readonly string[], skew = 1) => list[Math.floor(random() ** skew * list.length)] ?? ''
	const chance = (share: number) => random() < share
	const first = pick(firstBeginnings, 1.5) + pick(firstEndings, 1.5)
	const last = pick(lastBeginnings, 1.5) + pick(lastEndings, 1.5)
	const year = 1 + Math.floor(random() ** 1.2 * 4)
	const place = pick(places, 1.7)
	const joined = firstJoined + number * minutes
	const own = new Set(Array.from({ length: 3 + Math.floor(random() * 6) }, () => pick(skills, 2.2)))
	const handle = `${first}-${last}`.toLowerCase()
	return {
		username: `${first}.${last}${number}`.toLowerCase(),
		name: `${first} ${last}`,
		email: `${first}.${last}${number}@${seedDomain}`.toLowerCase(),
		created_at: new Date(joined).toISOString(),
		profile: {
			phone: chance(0.3) ? `+00 555 ${String(Math.floor(random() * 1e6)).padStart(6, '0')}` : '',
			city: pick(cities),
			expertise_in: chance(0.7) ? pick(expertises) : '',
			about: chance(0.8) ? `${pick(abouts)} ${pick(abouts)}` : '',
			open_to: ['mentoring', 'collaborating'].filter((_, index) => chance(index === 0 ? 0.2 : 0.5)),
			university_name: `${place} ${pick(institutions, 1.7)}`,
			location: place,
			enrol_in_branch_name: pick(branches, 1.8),
			year_of_passing: 2030 - year,
			current_semester: year * 2 - (chance(0.5) ? 1 : 0),
			current_year: year,
			github: chance(0.6) ? `https://github.example/${handle}` : '',
			linkedin: chance(0.4) ? `https://linkedin.example/${handle}` : '',
			listed: !chance(0.02),
			show_presence: !chance(0.05),
			last_seen_at: chance(0.9) ? new Date(joined + Math.floor(random() * 1e6) * minutes).toISOString() : null,
		},
		skills: [...own],
		projects: Array.from({ length: chance(0.4) ? 1 + Math.floor(random() * 3) : 0 }, () => ({
			project_title: pick(projectTitles),
			project_description: pick(abouts),
			project_tech_stack: [...own].slice(0, 3),
			project_date: '2025-09-01',
		})),
		certificates: chance(0.2)
			? [{ certificate_title: pick(certificateTitles), certificate_issue_date: '2025-06-01' }]
			: [],
	}
}

/** Numbers in [0, 1) that follow from a seed: mulberry32, a generator by Tommy Ettinger in the public domain. */
export function randomOf(seed: number): () => number {
	let state = Math.imul(seed, 0x9e3779b1)
	return () => {
		state = (state + 0x6d2b79f5) | 0
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
	}
}
