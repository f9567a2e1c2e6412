import { describe, expect, test } from 'vitest'
import {
	academicsInput,
	experienceInput,
	personalInput,
	projectInput,
	type Site,
	socialLink,
	webAddress,
} from './profile.schema.ts'

test.each<[Site, string, string | null]>([
	['github', 'mira-q', 'https://github.com/mira-q'],
	['github', '  @mira ', 'https://github.com/mira'],
	['github', 'github.com/mira', 'https://github.com/mira'],
	['github', 'HTTP://WWW.GitHub.com/Mira/', 'https://www.github.com/Mira'],
	['github', 'https://github.com/mira?tab=repositories#x', 'https://github.com/mira'],
	['github', 'https://git.campus.example/mira?x=1', null],
	['github', 'https://github.com.evil.example/mira', null],
	['github', 'https://notgithub.com/mira', null],
	['linkedin', 'https://github.com/mira', null],
	['github', 'github.com', null],
	['github', 'https://github.com/', null],
	['github', 'mira quillon', null],
	['github', 'javascript:alert(1)', null],
	['github', '', ''],
	['github', 'mira.github.io', null],
	['linkedin', 'mira.example', null],
	['linkedin', 'mira', 'https://www.linkedin.com/in/mira'],
	['linkedin', 'in.linkedin.com/in/mira/', 'https://in.linkedin.com/in/mira'],
	['leetcode', 'mira_q', 'https://leetcode.com/u/mira_q'],
	['hackerrank', 'mira', 'https://www.hackerrank.com/profile/mira'],
	['codechef', 'mira', 'https://www.codechef.com/users/mira'],
	['geeksforgeek', 'mira', 'https://www.geeksforgeeks.org/user/mira'],
	['portfolio', 'mira.example', 'https://mira.example/'],
	['portfolio', 'mira', null],
])('%s: %j is stored as %j', (site, typed, stored) => {
	expect(socialLink(site, typed)).toBe(stored)
})

describe('an address', () => {
	test.each([
		['https://Campus.Example/A?b=C#d', 'https://campus.example/A?b=C#d'],
		['http://campus.example', 'http://campus.example/'],
		['campus.example:8080/x', 'https://campus.example:8080/x'],
		['//campus.example/x', 'https://campus.example/x'],
		['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
		['  ', ''],
	])('%j is stored as %j', (typed, stored) => {
		expect(webAddress(typed)).toBe(stored)
	})

	test.each([
		'javascript:alert(1)',
		'JaVaScRiPt:alert(1)',
		'java\tscript:alert(1)',
		'\u0001javascript:alert(1)',
		'data:text/html,x',
		'vbscript:x',
		'file:///etc/passwd',
		'mailto:mira@campus.example',
		'https:campus.example',
		'https:///campus.example',
		'https://mira:secret@campus.example/',
		'https://campus.example@evil.example/',
		'https://localhost/',
		'https:\\\\evil.example',
		'https://a b.example/',
		'/relative',
		'nothing',
		'https://',
	])('%j is none', (typed) => {
		expect(webAddress(typed)).toBeNull()
	})
})

test.each([
	['2024', true],
	['2024-08', true],
	[' 2024-08-21 ', true],
	['2024-08-21T00:00:00Z', false],
	['2024-08-21 or so', false],
	['2024-08-', false],
	['2024-8', false],
	['24', false],
])('%j as the start of an experience is allowed: %s', (starts, isAllowed) => {
	const read = experienceInput.safeParse({ kind: 'work', organisation: 'Lamp Works', starts })
	expect([read.success, read.data?.starts]).toEqual([isAllowed, isAllowed ? starts.trim() : undefined])
})

test('what shows nothing counts as no text in titles, skills and other fields', () => {
	const nothing = ' \u200b\u2060\u3164\u2800\u034f '
	expect(projectInput.safeParse({ project_title: nothing }).error?.issues).toMatchObject([
		{ path: ['project_title'], message: 'A project needs a title!' },
	])
	const typed = { fullName: 'Mira', city: nothing, about: nothing, skills: `Rust,${nothing},🦀` }
	expect(personalInput.parse(typed)).toMatchObject({ city: '', about: '', skills: ['Rust', '🦀'] })
	expect(academicsInput.parse({ location: 'Zürich \u200b' }).location).toBe('Zürich \u200b')
})
