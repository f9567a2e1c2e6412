import type { GeneratedMember } from '~/features/demo/people/people.ts'
import { seededRandom } from '~/features/demo/people/people.ts'
import { canonicalSkill } from '~/features/members/skills.server.ts'

/*
 * A generated community, and searches with known relevant results. Its words are listed here, independently of the site's own lists of
 * skills, branches and names: otherwise both would agree trivially.
 */

/** A search, and which members are relevant. */
export interface KnownSearch {
	q: string
	isRight: (person: GeneratedMember) => boolean
}

/** Skills, each with an alternative spelling. */
const skills: readonly (readonly [name: string, other: string])[] = [
	['JavaScript', 'js'],
	['TypeScript', 'ts'],
	['Python', 'py'],
	['Kubernetes', 'k8s'],
	['PostgreSQL', 'postgres'],
	['Node.js', 'nodejs'],
	['React', 'reactjs'],
	['Vue.js', 'vue'],
	['Go', 'golang'],
	['C++', 'cpp'],
	['C#', 'csharp'],
	['Machine Learning', 'ml'],
	['MongoDB', 'mongo'],
	['Next.js', 'nextjs'],
	['scikit-learn', 'sklearn'],
	['Tailwind CSS', 'tailwind'],
	['Ruby on Rails', 'rails'],
	['React Native', 'react-native'],
	['Three.js', 'threejs'],
	['TensorFlow', 'tensor flow'],
	['Rust', 'rustlang'],
	['Elasticsearch', 'elastic search'],
]
const branches: readonly (readonly [stored: string, typed: string])[] = [
	['CSE', 'cse'],
	['CSE', 'computer science'],
	['Information Technology', 'it'],
	['ECE', 'electronics and communication'],
	['Mechanical', 'mech'],
	['Civil Engineering', 'civil'],
	['EEE', 'eee'],
	['Biotechnology', 'biotech'],
]
const split = (text: string) => text.trim().split(/\s+/)
const firstNames =
	split(`Aarav Zoë José Łukasz Søren Anaïs Ágnes Nikhil Shreya Meera Kavya Farhan Imogen Tobias Yusuf Marisol Ingrid Pradeep
	Rohini Sanjana Devika Harshad Leticia Björn Chloé Renée Siddharth Tanvi Ishaan Gauri Mateus Oluwaseun Priyanka Raghav Sunita`)
const lastNames =
	split(`Kulkarni Deshpande Müller García Nowak Østergaard Fernandes Chatterjee Banerjee Subramanian Okonkwo Lindqvist
	Castellano Moriarty Whitcombe Ramaswamy Bhattacharya Jagtap Pawar Sathe Thackeray Wagh Gokhale Paranjape Quereshi Iyengar
	Venkatesh Rodrigues Petrov Ivanova Novák Horváth Szabó Andersson Dubois Lefèvre Marchetti Ferrari Yamamoto Tanaka`)
const cities = split(
	'Nashik Pune Aurangabad Kolhapur Nagpur Solapur Thane Satara Sangli Jalgaon Coimbatore Mysuru Kozhikode Málaga Gdańsk Tromsø',
)
const expertises = [
	'Frontend',
	'Back-end services',
	'Compiler construction',
	'Animation',
	'Cyber security',
	'Embedded firmware',
	'Data visualisation',
	'Typography',
	'Accessibility audits',
	'Game physics',
	'Payment systems',
	'Observability',
	'Search engines',
	'Hydrology models',
]
const projectWords = {
	first: split(
		'Foundry Lighthouse Beacon Tangent Mosaic Quarry Harbor Lattice Ember Compass Tundra Sextant Pulley Gantry Vellum Kestrel',
	),
	second: split('tracker planner atlas ledger simulator kiosk notebook exchange radar archive'),
}
const certificates = [
	'Certified Ethical Hacker',
	'Associate Cloud Architect',
	'Scrum Fundamentals',
	'Six Sigma Yellow Belt',
	'Network Defense Essentials',
	'Oracle Database Administrator',
	'Solar Installer Level One',
	'Drone Pilot Permit',
]
const hobbies =
	split(`pottery kayaking origami beekeeping falconry calligraphy astronomy carpentry fencing juggling knitting letterpress
	marathons orienteering philately quilting rowing sailing trombone ukulele violin woodturning yoga zoology`)
const universities = [
	'Godavari Institute of Technology',
	'Sahyadri College',
	'Panchavati University',
	'Deccan Polytechnic',
]

/** The generated member with this number; deterministic. */
export function knownPerson(number: number): GeneratedMember {
	const random = seededRandom(number * 7 + 3)
	const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item
	const name = `${pick(firstNames)} ${pick(lastNames)}`
	const own = [...new Set([pick(skills), pick(skills), pick(skills), pick(skills)])]
	const username = `${plain(name).replace(' ', '.')}${number}`
	return {
		username,
		name,
		email: `${username}@seed.example`,
		created_at: new Date(Date.UTC(2025, 0, 1) + number * 60_000).toISOString(),
		profile: {
			phone: '',
			city: pick(cities),
			expertise_in: pick(expertises),
			about: `I spend my weekends on ${pick(hobbies)} and write small programs about ${pick(hobbies)}.`,
			open_to: random() < 0.5 ? ['mentoring'] : [],
			university_name: pick(universities),
			location: '',
			enrol_in_branch_name: pick(branches)[0],
			year_of_passing: 2028,
			current_semester: 3,
			current_year: 1 + Math.floor(random() * 4),
			github: '',
			linkedin: '',
			listed: true,
			show_presence: true,
			last_seen_at: null,
		},
		// As the profile form stores them.
		skills: [...new Set(own.map(([skill]) => canonicalSkill(skill)))],
		projects: [
			{
				project_title: `${pick(projectWords.first)} ${pick(projectWords.second)}`,
				project_description: 'Made for a course.',
				project_tech_stack: [],
				project_date: '2026-01-01',
			},
		],
		certificates:
			random() < 0.5 ? [{ certificate_title: pick(certificates), certificate_issue_date: '2026-01-01' }] : [],
	}
}

const yearWords = ['', 'first', 'second', 'third', 'fourth']
const ordinals = ['', '1st', '2nd', '3rd', '4th']

/** Kinds of searches for a member; each returns null for a member who lacks what it needs. */
export const searchKinds: Readonly<
	Record<string, (person: GeneratedMember, random: () => number) => KnownSearch | null>
> = {
	alias: ({ skills: own }, random) => {
		const known = skills.filter(([name]) => own.includes(canonicalSkill(name)))
		const [name = '', other = ''] = known[Math.floor(random() * known.length)] ?? []
		const stored = canonicalSkill(name)
		return { q: other, isRight: (person) => person.skills.includes(stored) }
	},
	'typo in a name': ({ name }, random) => ({ q: withTypo(name, random), isRight: (person) => person.name === name }),
	expertise: ({ profile }) => ({
		q: profile.expertise_in,
		isRight: (person) => person.profile.expertise_in === profile.expertise_in,
	}),
	city: ({ profile }) => ({ q: profile.city.toLowerCase(), isRight: (person) => person.profile.city === profile.city }),
	project: ({ projects: [project] }) =>
		project
			? {
					q: project.project_title,
					isRight: (person) => person.projects.some((one) => one.project_title === project.project_title),
				}
			: null,
	certificate: ({ certificates: [certificate] }) =>
		certificate
			? {
					q: certificate.certificate_title,
					isRight: (person) =>
						person.certificates.some((one) => one.certificate_title === certificate.certificate_title),
				}
			: null,
	about: ({ profile }) => {
		const topic = /weekends on (\w+)/.exec(profile.about)?.[1] ?? ''
		return { q: topic, isRight: (person) => person.profile.about.includes(topic) }
	},
	branch: ({ profile }, random) => {
		const ways = branches.filter(([stored]) => stored === profile.enrol_in_branch_name)
		const [stored, typed] = ways[Math.floor(random() * ways.length)] ?? ['', '']
		return { q: typed, isRight: (person) => person.profile.enrol_in_branch_name === stored }
	},
	'skill, branch and year': ({ skills: own, profile }, random) => {
		const [skill = ''] = own
		const ways = branches.filter(([stored]) => stored === profile.enrol_in_branch_name)
		const [stored, typed] = ways[Math.floor(random() * ways.length)] ?? ['', '']
		const words = random() < 0.5 ? ordinals : yearWords
		const parts = [skill.toLowerCase(), typed, `${words[profile.current_year]} year`]
		return {
			q: (random() < 0.5 ? parts : parts.toReversed()).join(' '),
			isRight: (person) =>
				person.skills.includes(skill) &&
				person.profile.enrol_in_branch_name === stored &&
				person.profile.current_year === profile.current_year,
		}
	},
	username: ({ username }) => ({ q: username, isRight: (person) => person.username === username }),
	'without accents': ({ name }) =>
		plain(name) === name.toLowerCase() ? null : { q: plain(name), isRight: (person) => person.name === name },
}

/** Lower case without accents. */
export function plain(text: string): string {
	const letters: Record<string, string> = { ø: 'o', ł: 'l' }
	return text
		.toLowerCase()
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/[øł]/g, (letter) => letters[letter] ?? letter)
}

/** A name with one letter missing, wrong, added, or swapped with its neighbour, but not the first of a word. */
function withTypo(name: string, random: () => number): string {
	const words = plain(name).split(' ')
	const long = words.flatMap((word, index) => (word.length >= 4 ? [index] : []))
	const which = long[Math.floor(random() * long.length)] ?? 0
	const word = words[which] ?? ''
	const at = 1 + Math.floor(random() * (word.length - 2))
	const kinds = [
		word.slice(0, at) + word.slice(at + 1),
		`${word.slice(0, at)}${word[at] === 'x' ? 'y' : 'x'}${word.slice(at + 1)}`,
		`${word.slice(0, at)}e${word.slice(at)}`,
		word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
	]
	words[which] = kinds[Math.floor(random() * kinds.length)] ?? word
	return words.join(' ')
}
