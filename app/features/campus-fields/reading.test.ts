import { expect, test } from 'vitest'
import { readCampusValues } from './reading.server.ts'

const settings = {
	...{ nameClaim: 'cn', branchClaim: 'ou', branchNames: 'CSE = Computer Science\r\nece=Electronics = more' },
	...{ passingClaim: 'end', yearClaim: 'year', semesterClaim: 'semester', enrolmentClaim: 'number', cohortClaim: '' },
}

test.each<[string, Record<string, string[]>, Record<string, string>]>([
	['nothing', {}, {}],
	['no values, and empty ones', { cn: [], ou: [''], end: [' ', ''] }, {}],
	['the first of several', { ou: [' ', ' Physics ', 'Maths'] }, { enrol_in_branch_name: 'Physics' }],
	['the name of a code', { ou: ['cse'] }, { enrol_in_branch_name: 'Computer Science' }],
	['a name with the sign between both', { ou: ['ECE'] }, { enrol_in_branch_name: 'Electronics = more' }],
	['a name as it is stored', { cn: ['  Mira \n Quillon '] }, { fullName: 'Mira Quillon' }],
	['a name with characters that are not shown', { cn: ['Mira\u202eQuillon'] }, {}],
	['a year', { end: ['2028'] }, { year_of_passing: '2028' }],
	['the year of a time', { end: ['20280630000000Z'] }, { year_of_passing: '2028' }],
	['the year of a class', { end: ['Class of 2028, CSE'] }, { year_of_passing: '2028' }],
	['no year', { end: ['soon'] }, {}],
	['a year before the form allows it', { end: ['1900'] }, {}],
	['numbers in words', { year: ['3rd year'], semester: ['Semester 06'] }, { current_year: '3', current_semester: '6' }],
	['numbers beyond those of the form', { year: ['9'], semester: ['0'] }, {}],
	['an enrolment number', { number: ['EIT23CSE017'] }, { enrolment_number: 'EIT23CSE017' }],
	['one that is too long', { number: ['1'.repeat(51)] }, {}],
	['what is not configured', { '': ['x'], cohort: ['CSE 2028'] }, {}],
])('of %s it reads what the form would take', (_what, delivered, read) => {
	expect(readCampusValues(settings, (claim) => delivered[claim] ?? null)).toEqual(read)
})
