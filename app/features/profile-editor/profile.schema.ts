import { z } from 'zod'
import { personName } from '~/features/accounts/names.schema.ts'
import { isHost, openingsOf, siteHosts } from '~/features/members/self.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import { cleanLine, cleanParagraphs, isStorable } from '~/lib/clean.ts'
import {
	type Audience,
	type AudienceField,
	audiences,
	defaultAudience,
	experienceKinds,
	profileLimits as limits,
	profileSections,
} from './profile.limits.ts'

/* Input for each section of a profile, from its form, the API or an import. Missing fields count as empty; unknown fields are ignored. */

interface KnownSite {
	host: string
	/** The beginning of a member's address. */
	profile: string
	/** Whether handles have no dot there: an input with one is an address, such as `mira.github.io`. */
	dotless?: true
}

/** The address of a handle on each site; a portfolio has no handle, only an address. */
const sites = {
	github: { host: siteHosts.github, profile: 'https://github.com/', dotless: true },
	linkedin: { host: siteHosts.linkedin, profile: 'https://www.linkedin.com/in/', dotless: true },
	leetcode: { host: siteHosts.leetcode, profile: 'https://leetcode.com/u/' },
	portfolio: null,
	hackerrank: { host: siteHosts.hackerrank, profile: 'https://www.hackerrank.com/profile/' },
	codechef: { host: siteHosts.codechef, profile: 'https://www.codechef.com/users/' },
	geeksforgeek: { host: siteHosts.geeksforgeek, profile: 'https://www.geeksforgeeks.org/user/' },
} satisfies Record<string, KnownSite | null>

export type Site = keyof typeof sites

export const siteNames = Object.keys(sites) as Site[]

/**
 * A member's page on a site, from a handle (`mira`, `@mira`) or an address.
 * @returns an absolute http(s) address, '' for an empty text, and null for anything else
 */
export function socialLink(site: Site, typed: string): string | null {
	const known: KnownSite | null = sites[site]
	const text = typed.trim()
	if (text === '' || known === null) return webAddress(text)
	const handle = /^@?([\w][\w.-]*)$/u.exec(text)?.[1]
	const isName = handle && !isHost(handle, known.host) && !(known.dotless && handle.includes('.'))
	if (isName) return known.profile + encodeURIComponent(handle)
	const address = webAddress(text)
	if (!address) return address
	const url = new URL(address)
	// The site's home page is not a member's page.
	if (isHost(url.hostname, known.host) && url.pathname === '/' && !url.search) return null
	return isHost(url.hostname, known.host) ? tidy(url) : null
}

/** The site of an address, or null for any other. */
export function siteOfAddress(typed: string): Site | null {
	const host = URL.parse(webAddress(typed) ?? '')?.hostname
	return siteNames.find((site) => host !== undefined && sites[site] !== null && isHost(host, sites[site].host)) ?? null
}

/**
 * Normalizes a web address: scheme and host in lower case, `https` by default.
 * @returns '' for an empty text, null for anything that a browser would not open as a web page
 */
export function webAddress(typed: string): string | null {
	const text = typed.trim()
	if (text === '') return ''
	if (/[\s\p{Cc}\\]/u.test(text)) return null
	const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(\/|$))/i.exec(text)?.[1]?.toLowerCase()
	if (scheme && scheme !== 'http' && scheme !== 'https') return null
	const whole = scheme ? text : `https://${text.replace(/^\/\//, '')}`
	if (!/^https?:\/\/[^/?#]/i.test(whole)) return null
	const url = URL.parse(whole)
	// Credentials before the host could only mislead readers.
	if (!url || url.username || url.password || !/^[^.].*\.[^.]+$/.test(url.hostname)) return null
	return url.href
}

/** Removes tracking parameters from the address of a known site. */
function tidy(url: URL): string {
	url.protocol = 'https:'
	url.port = ''
	url.search = ''
	url.hash = ''
	url.pathname = url.pathname.replace(/\/+$/, '')
	return url.href
}

const noText = 'Enter text.'
const stored = z.string({ error: noText }).refine(isStorable, 'The text contains an invalid character (NUL).')

const singleLine = (max: number, what: string) =>
	stored
		.default('')
		.transform(cleanLine)
		.refine((text) => text.length <= max, `${what} has at most ${max} characters.`)

const required = (missing: string, max: number, what: string) =>
	singleLine(max, what).refine((text) => text !== '', missing)

const paragraphs = (max: number, what: string) =>
	stored
		.default('')
		.transform(cleanParagraphs)
		.refine((text) => text.length <= max, `${what} has at most ${max.toLocaleString('en')} characters.`)

/** A checkbox sends its value or nothing; API clients send true or false. */
const checkbox = z
	.union([z.boolean(), z.string()], { error: noText })
	.default(false)
	.transform((value) => value === true || value === 'on' || value === 'true')

const address = (message: string, read: (typed: string) => string | null) =>
	stored.default('').transform((typed, context) => {
		const url = read(typed)
		if (url !== null && url.length <= limits.url) return url
		const long = `An address has at most ${limits.url} characters.`
		context.addIssue({ code: 'custom', message: url === null ? message : long })
		return z.NEVER
	})

const webLink = address('Enter a web address that begins with https://', webAddress)

/** An integer, or null for an empty field. */
const number = (from: number, to: number, message: string) =>
	z
		.union([z.number(), z.string(), z.null()], { error: message })
		.default('')
		.transform((value) => String(value ?? '').trim())
		.refine((text) => text === '' || (/^\d{1,4}$/.test(text) && Number(text) >= from && Number(text) <= to), message)
		.transform((text) => (text === '' ? null : Number(text)))

const noDate = 'Enter a date as year-month-day, for example 2026-11-21.'

/** A date as the database stores it (`2026-11-21`), or null for an empty field. */
const day = z
	.union([z.string(), z.null()], { error: noDate })
	.default('')
	.transform((value) => value?.trim() || null)
	.refine((value) => value === null || isCalendarDay(value), noDate)

/** Short names, from a comma-separated text or a list: trimmed, without duplicates that differ only in case. */
const names = (max: number, one: string, many = `${one}s`) =>
	z
		.union([stored, z.array(stored).transform((texts) => texts.join(','))], { error: noText })
		.default('')
		.transform((text) => eachOnce(text.split(',').map(cleanLine).filter(Boolean)))
		.refine((list) => list.length <= max, `At most ${max} ${many}.`)
		.refine(
			(list) => list.every((name) => name.length <= limits.skill),
			`A ${one} has at most ${limits.skill} characters.`,
		)

const openTo = z
	.union([z.string(), z.array(z.string()).transform((list) => list.join(','))], { error: noText })
	.default('')
	.transform((text) => openingsOf(text.split(',')))

/** The last day of something, not in the past; days are those of the site's time zone. */
const lastDay = day.refine((value) => value === null || value >= siteDay(Date.now()), {
	message: 'This day is over. Choose a later one, or leave it empty.',
})

const audience = (usual: Audience) => z.enum(audiences, { error: 'Choose who sees it.' }).default(usual)

const audienceFields = Object.fromEntries(
	profileSections.map((section) => [`see_${section}`, audience(defaultAudience[section])]),
) as Record<AudienceField, ReturnType<typeof audience>>

const emailAddress = z
	.email('Enter a valid email address.')
	.max(limits.email, `An email address can have at most ${limits.email} characters.`)

/** The path of a picture, or null. */
const picture = z
	.union([stored, z.null()], { error: noText })
	.default(null)
	.transform((path) => path?.trim() || null)

export const personalInput = z.object({
	fullName: stored.default('').pipe(personName),
	phone: singleLine(limits.phone, 'A phone number').refine(
		(phone) => phone === '' || /^[+\d][\d\s().\-/]*$/.test(phone),
		'A phone number has digits, spaces and + ( ) - only.',
	),
	city: singleLine(limits.city, 'A city'),
	expertise_in: singleLine(limits.expertise, 'The expertise'),
	about: paragraphs(limits.about, 'The text'),
	skills: names(limits.skills, 'skill'),
	open_to: openTo,
	show_email: checkbox,
	show_phone: checkbox,
	listed: checkbox,
	show_presence: checkbox,
	open_until: lastDay,
	pronouns: singleLine(limits.pronouns, 'Pronouns'),
	status_line: singleLine(limits.status, 'A status'),
	status_until: lastDay,
	public_page: checkbox,
	noindex: checkbox,
	...audienceFields,
	profile_url: picture,
})

const year = limits.passing

export const academicsInput = z.object({
	university_name: singleLine(limits.institution, 'A university'),
	location: singleLine(limits.institution, 'A location'),
	enrol_in_branch_name: singleLine(limits.institution, 'A branch'),
	year_of_passing: number(year.from, year.to, `A year has four digits, from ${year.from} to ${year.to}.`),
	current_semester: number(1, limits.semesters, `A semester is a number from 1 to ${limits.semesters}.`),
	current_year: number(1, limits.years, `A year of study is a number from 1 to ${limits.years}.`),
	enrolment_number: singleLine(limits.enrolmentNumber, 'An enrolment number'),
	university_email: singleLine(limits.email, 'An email address')
		.transform((email) => email.toLowerCase())
		.refine((email) => email === '' || emailAddress.safeParse(email).success, 'Enter a valid email address.'),
})

const socialField = (site: Site) => {
	const host = sites[site]?.host
	const expected = host
		? `your name there or the address of your page on ${host}. Other addresses belong under Portfolio.`
		: 'an address.'
	return address(`This is not a valid link. Enter ${expected}`, (typed) => socialLink(site, typed))
}

type SocialField = ReturnType<typeof socialField>

export const socialInput = z.object(
	Object.fromEntries(siteNames.map((site) => [site, socialField(site)])) as Record<Site, SocialField>,
)

const titled = (what: string) => required(`A ${what} needs a title!`, limits.title, 'A title')

export const certificateInput = z
	.object({
		certificate_title: titled('certificate'),
		certificate_url: webLink,
		certificate_image: picture.refine((path) => path !== null, 'Before uploading, choose an image!'),
		certificate_issue_date: day,
		certificate_expire_date: day,
		credential_verification_link: webLink,
	})
	.refine(
		({ certificate_issue_date: from, certificate_expire_date: to }) => from === null || to === null || from <= to,
		{ path: ['certificate_expire_date'], message: 'A certificate cannot expire before it was issued.' },
	)

export const projectInput = z.object({
	project_title: titled('project'),
	project_description: paragraphs(limits.description, 'The description'),
	project_image: picture,
	project_tech_stack: names(limits.stack, 'technology', 'technologies'),
	project_date: day,
	project_source_code_link: webLink,
	project_deployment_link: webLink,
	project_demo_link: webLink,
})

const noMonth = 'Enter a year, or year and month, for example 2026-08.'

/** A day, a month or a year, as precise as known. */
const partialDate = z
	.union([z.string(), z.null()], { error: noMonth })
	.default('')
	.transform((value) => value?.trim() || null)
	.refine((value) => value === null || (value.length <= 10 && isCalendarDay(`${value}-01-01`.slice(0, 10))), noMonth)

export const experienceInput = z
	.object({
		kind: z.enum(experienceKinds, { error: 'Choose what it is.' }),
		organisation: required('Say where it is or was.', limits.institution, 'A name'),
		title: singleLine(limits.title, 'This'),
		degree: singleLine(limits.title, 'A degree'),
		url: webLink,
		starts: partialDate,
		ends: partialDate,
		summary: paragraphs(limits.description, 'The description'),
	})
	.refine(({ starts, ends }) => isValidPeriod(starts, ends), {
		path: ['ends'],
		message: 'It cannot end before it began.',
	})
	.refine(({ kind, degree }) => kind === 'education' || degree === '', {
		path: ['degree'],
		message: 'Only studies have a degree.',
	})

export type ExperienceInput = z.output<typeof experienceInput>
export type PersonalInput = z.output<typeof personalInput>
export type AcademicsInput = z.output<typeof academicsInput>
export type SocialInput = z.output<typeof socialInput>
export type CertificateInput = z.output<typeof certificateInput>
/** A stored certificate: one from a résumé has no picture until its owner adds it. */
export type StoredCertificate = Omit<CertificateInput, 'certificate_image'> & { certificate_image: string | null }
export type ProjectInput = z.output<typeof projectInput>

/** Whether the end is not before the start, as far as both are known. */
export function isValidPeriod(starts: string | null | undefined, ends: string | null | undefined): boolean {
	return !starts || !ends || ends.slice(0, starts.length) >= starts.slice(0, ends.length)
}

function eachOnce(list: string[]): string[] {
	const seen = new Set<string>()
	return list.filter((name) => {
		const key = name.toLowerCase()
		return !seen.has(key) && seen.add(key)
	})
}

/** As `isDay` of `lib/checks.ts`, but until 2199. */
function isCalendarDay(text: string): boolean {
	if (!/^(19|20|21)\d\d-\d\d-\d\d$/.test(text)) return false
	const date = new Date(`${text}T00:00:00Z`)
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
