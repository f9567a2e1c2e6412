import { experienceKinds } from '~/features/profile-editor/profile.limits.ts'
import {
	academicsInput,
	certificateInput,
	experienceInput,
	personalInput,
	projectInput,
	socialInput,
} from '~/features/profile-editor/profile.schema.ts'
import type { ResumeFields } from '~/features/resume/resume.view.ts'
import { cleanLine } from '~/lib/clean.ts'
import { randomFrom } from '../support/random.ts'

const pieces = [
	'Mira',
	'Łukasz',
	'ज़ोया',
	'李雷',
	'👩🏽‍💻',
	'O’Brien',
	'"quoted"',
	'<b>',
	'&amp;',
	'\\n',
	'{',
	'}',
	'[0]',
	'__proto__',
	'null',
	'constructor',
	'-',
	'#1',
	'C++',
	'naïve',
	'ﬁ',
	'\u202e',
	'é',
	"'); drop",
	'%00',
	'0',
	'false',
	'1e9',
	'２０２６',
	'…',
]

const addresses = [
	'https://git.example/p§',
	'example.org/x?y=§#z',
	'https://github.com/a/§',
	'müller.example/ü',
	'https://a.example:8443/%20',
	'http://xn--mller-kva.example/?q=%22§%22',
]

/** Names exclude invisible characters, which other lines may have. */
const names = [
	'Mira',
	'Łukasz',
	'ज़ोया',
	'李雷',
	'👩🏽‍💻 Ada',
	'O’Brien',
	'"Bo"',
	'<b>Cy</b>',
	'__proto__',
	'&amp;',
	'null',
	'\\n',
]

/** A random profile as the edit forms would store it: about half of its fields set, with edge cases. */
export function anyProfile(seed: number): ResumeFields {
	const chance = randomFrom(seed)
	const below = (most: number) => Math.floor(chance() * most)
	const pick = <One>(list: readonly One[]): One => list[below(list.length)] as One
	const maybe = <Value>(value: () => Value, empty: Value): Value => (chance() < 0.55 ? value() : empty)
	const words = (most: number, glue = ' ') => Array.from({ length: 1 + below(most) }, () => pick(pieces)).join(glue)
	// A line that shows nothing is no title.
	const line = () => cleanLine(words(5)) || pick(names)
	const text = () => Array.from({ length: 1 + below(4) }, () => words(12)).join(pick(['\n', '\n\n', '\r\n', '\n- ']))
	const day = () =>
		`20${10 + below(30)}-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}`
	const link = () => pick(addresses).replace('§', String(below(1_000)))
	const list = (most: number) => Array.from({ length: below(most) }, () => words(2).replaceAll(',', ' '))
	const handle = () => pick(['mira', '@mira', 'mira-q.9'])
	return {
		username: `member${seed}`,
		email: `member${seed}@campus.example`,
		personal: {
			fullName: [pick(names), pick(names)].join(' '),
			phone: maybe(() => `+${below(99)} 555 ${below(9_999)}`, ''),
			city: maybe(line, ''),
			expertise_in: maybe(line, ''),
			about: personalInput.shape.about.parse(maybe(text, '')),
			skills: personalInput.shape.skills.parse(list(31)),
			open_to: personalInput.shape.open_to.parse(pick(['', 'mentoring', 'collaborating', 'mentoring,collaborating'])),
			profile_url: null,
		},
		academics: academicsInput.parse({
			university_name: maybe(line, ''),
			location: maybe(line, ''),
			enrol_in_branch_name: maybe(line, ''),
			year_of_passing: maybe<number | null>(() => 1950 + below(151), null),
			current_semester: maybe<number | null>(() => 1 + below(12), null),
			current_year: maybe<number | null>(() => 1 + below(8), null),
			enrolment_number: maybe(line, ''),
			university_email: maybe(() => `m${seed}@mit.edu`, ''),
		}),
		social: socialInput.parse(
			Object.fromEntries(
				['github', 'linkedin', 'leetcode', 'hackerrank', 'codechef', 'geeksforgeek']
					// On GitHub and LinkedIn no name has a dot.
					.map((site) => [site, maybe(handle, '').replaceAll('.', '-')])
					.concat([['portfolio', maybe(link, '')]]),
			),
		),
		certificates: Array.from({ length: below(6) }, () => {
			const dates = [maybe<string | null>(day, null), maybe<string | null>(day, null)].sort()
			return {
				...certificateInput.parse({
					certificate_title: line(),
					certificate_image: 'certificates/x/0123456789abcdef0123456789abcdef',
					certificate_url: maybe(link, ''),
					certificate_issue_date: dates[0] && dates[1] ? dates[0] : maybe<string | null>(day, null),
					certificate_expire_date: dates[0] && dates[1] ? dates[1] : null,
					credential_verification_link: maybe(link, ''),
				}),
				certificate_image: null,
			}
		}),
		experiences: experienceKinds.flatMap((kind) =>
			Array.from({ length: below(3) }, () => {
				const partial = () => day().slice(0, pick([4, 7, 10]))
				const dates = [maybe<string | null>(partial, null), maybe<string | null>(partial, null)].sort()
				return experienceInput.parse({
					...{ kind, organisation: line(), title: maybe(line, ''), url: maybe(link, '') },
					degree: kind === 'education' ? maybe(line, '') : '',
					...{ starts: dates[0] && dates[1] ? dates[0] : maybe<string | null>(partial, null) },
					...{ ends: dates[0] && dates[1] ? dates[1] : null, summary: maybe(text, '') },
				})
			}),
		),
		projects: Array.from({ length: below(6) }, () =>
			projectInput.parse({
				project_title: pick(['the same title', line()]),
				project_description: maybe(text, ''),
				project_tech_stack: list(21),
				project_date: maybe<string | null>(day, null),
				project_source_code_link: maybe(link, ''),
				project_deployment_link: maybe(link, ''),
				project_demo_link: maybe(link, ''),
			}),
		),
	}
}
