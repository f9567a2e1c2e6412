import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
	academicsInput,
	certificateInput,
	personalInput,
	projectInput,
	socialInput,
} from '~/features/profile-editor/profile.schema.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { validityText } from './profiles.view.ts'

const person = filled.personal
const paper = { ...filled.certificate, certificate_image: 'certificates/mira/0123456789abcdef0123456789abcdef' }

describe('a section parses input of a form or a program', () => {
	test.each([
		[
			'boxes of a form',
			personalInput,
			{ ...person, listed: '' },
			{ show_email: true, show_phone: false, listed: false },
		],
		[
			'boxes of a program',
			personalInput,
			{ ...person, show_phone: true, listed: false },
			{ show_phone: true, listed: false },
		],
		[
			'what is open to what',
			personalInput,
			{ ...person, open_to: 'collaborating, mentoring, anything' },
			{ open_to: ['mentoring', 'teammates'] },
		],
		['skills as a list', personalInput, { ...person, skills: ['Go', ' go', 'C++, C'] }, { skills: ['Go', 'C++', 'C'] }],
		[
			'nothing at all but a name',
			personalInput,
			{ fullName: 'M' },
			{ about: '', skills: [], open_to: [], profile_url: null },
		],
		['numbers of a form', academicsInput, filled.academics, { year_of_passing: 2028, current_semester: 6 }],
		[
			'numbers of a program',
			academicsInput,
			{ current_year: 8, current_semester: null },
			{ current_year: 8, current_semester: null },
		],
		[
			'a university address in capitals',
			academicsInput,
			{ university_email: ' MIRA@Eastmere.example ' },
			{ university_email: 'mira@eastmere.example' },
		],
		[
			'a day of a leap year',
			projectInput,
			{ ...filled.project, project_date: '2028-02-29' },
			{ project_date: '2028-02-29' },
		],
		[
			'a certificate of one day',
			certificateInput,
			{ ...paper, certificate_expire_date: '2026-08-12' },
			{ certificate_expire_date: '2026-08-12' },
		],
	])('%s', (_what, schema, input, read) => {
		expect(schema.parse(input)).toMatchObject(read)
	})

	test('unknown fields are ignored', () => {
		const read = socialInput.parse({ ...filled.social, role: 'admin', user_id: 1 })
		expect(Object.keys(read)).toEqual([
			'github',
			'linkedin',
			'leetcode',
			'portfolio',
			'hackerrank',
			'codechef',
			'geeksforgeek',
		])
	})
})

describe('errors are at their field', () => {
	const refusals: [schema: z.ZodType, input: object, field: string, message: string][] = [
		[personalInput, { ...person, fullName: '  ' }, 'fullName', 'Full name is required!'],
		[personalInput, { ...person, fullName: 'x'.repeat(101) }, 'fullName', 'A name has at most 100 characters.'],
		[personalInput, { ...person, about: 'x'.repeat(2_001) }, 'about', 'The text has at most 2,000 characters.'],
		[personalInput, { ...person, about: 'a\u0000b' }, 'about', 'The text contains an invalid character (NUL).'],
		[personalInput, { ...person, phone: 'call me' }, 'phone', 'A phone number has digits, spaces and + ( ) - only.'],
		[
			personalInput,
			{ ...person, skills: Array.from({ length: 31 }, (_, n) => `s${n}`) },
			'skills',
			'At most 30 skills.',
		],
		[personalInput, { ...person, skills: 'x'.repeat(51) }, 'skills', 'A skill has at most 50 characters.'],
		[personalInput, { ...person, city: ['a'] }, 'city', 'Enter text.'],
		[academicsInput, { year_of_passing: '28' }, 'year_of_passing', 'A year has four digits, from 1950 to 2100.'],
		[academicsInput, { year_of_passing: '0x7ec' }, 'year_of_passing', 'A year has four digits, from 1950 to 2100.'],
		[academicsInput, { current_semester: '13' }, 'current_semester', 'A semester is a number from 1 to 12.'],
		[academicsInput, { current_semester: '1.5' }, 'current_semester', 'A semester is a number from 1 to 12.'],
		[academicsInput, { current_year: 0 }, 'current_year', 'A year of study is a number from 1 to 8.'],
		[academicsInput, { university_email: 'mira' }, 'university_email', 'Enter a valid email address.'],
		[
			socialInput,
			{ github: 'javascript:alert(1)' },
			'github',
			'This is not a valid link. Enter your name there or the address of your page on github.com. Other addresses belong under Portfolio.',
		],
		[
			socialInput,
			{ portfolio: `https://a.example/${'x'.repeat(500)}` },
			'portfolio',
			'An address has at most 500 characters.',
		],
		[certificateInput, { ...paper, certificate_image: '' }, 'certificate_image', 'Before uploading, choose an image!'],
		[certificateInput, { ...paper, certificate_title: '' }, 'certificate_title', 'A certificate needs a title!'],
		[
			certificateInput,
			{ ...paper, certificate_expire_date: '2026-08-11' },
			'certificate_expire_date',
			'A certificate cannot expire before it was issued.',
		],
		[
			certificateInput,
			{ ...paper, certificate_issue_date: '2026-02-30' },
			'certificate_issue_date',
			'Enter a date as year-month-day, for example 2026-11-21.',
		],
		[
			projectInput,
			{ ...filled.project, project_demo_link: 'data:text/html,x' },
			'project_demo_link',
			'Enter a web address that begins with https://',
		],
		[
			projectInput,
			{ ...filled.project, project_tech_stack: 'a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u' },
			'project_tech_stack',
			'At most 20 technologies.',
		],
	]

	test.each(refusals.map(([schema, input, field, message]) => ({ schema, input, field, message })))(
		'$message ($field)',
		(each) => {
			const { schema, input, field, message } = each
			const { error } = schema.safeParse(input)
			expect(error?.issues.map((issue) => [issue.path[0], issue.message])).toEqual([[field, message]])
		},
	)
})

test.each([
	['2023-03-01', '2026-03-31', 'Mar 2023 to Mar 2026, expired'],
	['2023-03-01', '2026-11-20', 'Mar 2023 to Nov 2026, expired'],
	['2023-03-01', '2026-11-21', 'Mar 2023 to Nov 2026'],
	[null, '2027-01-01', 'until Jan 2027'],
	['2025-06-01', null, 'Jun 2025, no expiry'],
	[null, null, ''],
])('a certificate from %j to %j reads %j on 21 November 2026', (issued, expires, text) => {
	expect(validityText({ issued, expires }, '2026-11-21')).toBe(text)
})
