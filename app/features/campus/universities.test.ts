import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isUntrustedDomain, suggestUniversities, universityOfDomain } from './universities.server.ts'

const names = (text: string, limit = 5) => suggestUniversities(text, limit).map(({ name }) => name)

describe('suggestions of universities', () => {
	test.each([
		['massachusetts inst', 'Massachusetts Institute of Technology'],
		['MIT', 'Massachusetts Institute of Technology'],
		['iit bombay', 'Indian Institute of Technology, Bombay'],
		['bombay iit', 'Indian Institute of Technology, Bombay'],
		['sao paulo', 'Universidade de São Paulo'],
		['SÃO PAULO', 'Universidade de São Paulo'],
		['zürich eth', 'ETHZ - ETH Zurich'],
		['oxford', 'University of Oxford'],
	])('for %j: %s', (typed, name) => {
		expect(names(typed, 20)).toContain(name)
	})

	test('include the country, names that start with the input first', () => {
		expect(suggestUniversities('Stanford', 1)).toEqual([{ name: 'Stanford University', country: 'United States' }])
	})

	test.each(['', '   ', '!?', 'zzqx', '%', '\\', '\u0000'])('for %j: none', (typed) => {
		expect(names(typed)).toEqual([])
	})

	test('respect the limit, at most twenty', () => {
		expect(names('university', 3)).toHaveLength(3)
		expect(names('u', 1_000)).toHaveLength(20)
	})
})

describe('the university of a mail domain', () => {
	test.each([
		['mit.edu', 'Massachusetts Institute of Technology'],
		['cs.mit.edu', 'Massachusetts Institute of Technology'],
		['ALUM.CS.MIT.EDU', 'Massachusetts Institute of Technology'],
		['cam.ac.uk', 'University of Cambridge'],
		['student.iitb.ac.in', 'Indian Institute of Technology, Bombay'],
	])('%s is %s', (domain, name) => {
		expect(universityOfDomain(domain)?.name).toBe(name)
	})

	test.each([
		'notmit.edu',
		'mit.edu.example',
		'mit.edu.',
		'.mit.edu.',
		'edu',
		'ac.uk',
		'ac.in',
		'edu.au',
		'co.uk',
		'com',
		'gmail.com',
		'eastmere.example',
		'',
		'.',
		'..',
		'a b',
	])('%j is of none', (domain) => {
		expect(universityOfDomain(domain)).toBeNull()
	})

	test('the nearest domain wins if one university is below another one’s', () => {
		expect(universityOfDomain('mail.hawaii.edu')?.name).not.toBe(universityOfDomain('hilo.hawaii.edu')?.name)
	})

	test('domains at which anybody can have an address prove nothing, nor do their subdomains', () => {
		expect(isUntrustedDomain('upes.ac.in')).toBe(true)
		expect(universityOfDomain('upes.ac.in')).toBeNull()
		expect(universityOfDomain('mail.upes.ac.in')).toBeNull()
		expect(isUntrustedDomain('mit.edu')).toBe(false)
	})
})

test('no university owns a shared suffix', () => {
	const domains = readFileSync('app/features/campus/data/universities.tsv', 'utf8')
		.split('\n')
		.flatMap((line) => (line.split('\t')[2] ?? '').split(' ').filter(Boolean))
	expect(domains.length).toBeGreaterThan(10_000)
	const shared = /^[a-z0-9-]+$|^(ac|co|com|edu|go|gob|gov|mil|net|org|sch)\.[a-z]{2}$/
	expect(domains.filter((domain) => shared.test(domain))).toEqual([])
})
