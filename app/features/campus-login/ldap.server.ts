import {
	AndFilter,
	Client,
	type Entry,
	EqualityFilter,
	Filter,
	FilterParser,
	InvalidCredentialsError,
	OrFilter,
	ResultCodeError,
	type SearchOptions,
} from 'ldapts'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { wantedClaims } from './claims.server.ts'
import { type ProviderIdentity, ProviderRefused } from './oidc.server.ts'
import { ProviderUnreachable } from './provider-fetch.server.ts'

/* LDAP by the library `ldapts`: requests to the directory, and the validation of its responses. */

/** The configuration of a directory. */
export interface LdapSettings {
	/** `ldaps://…`, or `ldap://…` with StartTLS. */
	address: string
	startTls: boolean
	baseDn: string
	/** The account for searches; empty for anonymous ones. */
	bindDn: string
	bindPassword: string
	/** With `{username}` as placeholder for the typed name. */
	userFilter: string
	subjectAttribute: string
	nameAttribute: string
	usernameAttribute: string
	emailAttribute: string
	/** Empty if roles are not reported. */
	roleAttribute: string
}

/** Milliseconds for all requests of one login. */
const TIME_LIMIT_MS = 8_000
/** Milliseconds for one request. */
const OPERATION_LIMIT_MS = 5_000
/** Result codes of a temporary failure: time limit, busy, unavailable, admin limit. */
const failing = [3, 11, 51, 52]
/** Result codes of a bind that rejects the person: credentials, authentication method, locked or expired. */
const refusing = [19, 48, 49, 50, 53]
const SIZE_LIMIT_EXCEEDED = 4

/** The issuer of a directory's identities. Replicas at other addresses share it. */
export function ldapIssuer({ baseDn }: Pick<LdapSettings, 'baseDn'>): string {
	return `ldap:${baseDn.toLowerCase()}`
}

/** What limits guesses does while a directory checks one. */
export interface GuessLimits {
	/**
	 * Called before the password is checked.
	 * @param who the entry: a directory finds it by many spellings of its names
	 * @param identity issuer and subject of the entry; undefined for an unknown person
	 */
	count: (who: string, identity?: Pick<ProviderIdentity, 'issuer' | 'subject'>) => Promise<void>
	/** Called if the password was not checked, so that this is not counted as a guess. */
	unasked: () => Promise<void>
}

const unlimited: GuessLimits = { count: async () => {}, unasked: async () => {} }

/**
 * Looks a person up, and binds as them.
 * @throws Invalid if username or password are wrong; TooManyRequests of `limits`; ProviderUnreachable, ProviderRefused, InvalidLdapSetting
 */
export async function authenticateByLdap(
	settings: LdapSettings,
	typed: { username: string; password: string },
	limits: GuessLimits = unlimited,
): Promise<ProviderIdentity> {
	// A bind without a password succeeds anonymously for any name (RFC 4513, 5.1.2).
	if (typed.username === '' || typed.password === '') throw wrongCredentials()
	let isAsked = false
	try {
		return await connected(settings, (client) =>
			loggedIn(client, settings, typed, async (...who) => {
				await limits.count(...who)
				isAsked = true
			}),
		)
	} catch (error) {
		// A directory that delays wrong passwords until the timeout has revealed that they are wrong.
		const isUndecided = [ProviderUnreachable, InvalidLdapSetting, TooManyRequests].some((kind) => error instanceof kind)
		if (!isAsked && isUndecided) await limits.unasked()
		throw error
	}
}

/** @param asking called with the entry, or an unknown name, before the directory checks the password or reveals anything about the name */
async function loggedIn(
	client: Client,
	settings: LdapSettings,
	{ username, password }: { username: string; password: string },
	asking: GuessLimits['count'],
): Promise<ProviderIdentity> {
	const { subjectAttribute, nameAttribute, usernameAttribute, emailAttribute, roleAttribute, userFilter } = settings
	const own = [subjectAttribute, nameAttribute, usernameAttribute, emailAttribute, roleAttribute].filter(Boolean)
	const attributes = [...own, ...wantedAttributes()]
	const filter = userFilter.replaceAll('{username}', () => Filter.escape(username))
	const explicitBufferAttributes = guidNames(subjectAttribute)
	const entries = await search(client, settings, { filter, attributes, explicitBufferAttributes, sizeLimit: 2 })
	const [entry] = entries === 'many' ? [] : entries
	const answer = entry && answerOf(entry, settings, attributes)
	await asking(entry?.dn ?? username, answer)
	if (entries === 'many' || entries.length > 1)
		throw new ProviderRefused('knows several people by this name, so nobody was logged in. Ask who runs it.')
	const isRight = await bindAs(client, entry?.dn ?? `cn=nobody,${settings.baseDn}`, password)
	if (!answer || !isRight) throw wrongCredentials()
	if (answer.subject === '') throw new ProviderRefused('did not say who you are.')
	return answer
}

function wrongCredentials(): Invalid {
	return new Invalid('The username or password is wrong.')
}

/** Whether the password is right. Also binds for an unknown person, so that both take the same time. */
async function bindAs(client: Client, dn: string, password: string): Promise<boolean> {
	try {
		await client.bind(dn, password)
		return true
	} catch (error) {
		if (error instanceof ResultCodeError && [...refusing, 32, 34].includes(error.code)) return false
		throw error
	}
}

/** The attributes that features want, without names of claims that no attribute can have. */
function wantedAttributes(): string[] {
	return wantedClaims().filter((name) => /^[a-z][a-z0-9-]*$/i.test(name))
}

/** The values of an attribute. Directories may change the case of its name. */
function valuesOf(entry: Entry, attribute: string): (string | Buffer)[] {
	const found = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase())
	return found ? [found[1]].flat() : []
}

function textsOf(entry: Entry, attributes: readonly string[]): Record<string, string[]> {
	const texts = (name: string) => valuesOf(entry, name).filter((one) => typeof one === 'string')
	return Object.fromEntries(attributes.map((name) => [name, texts(name)]))
}

/** The identity of an entry; its subject is empty if the entry has none. */
function answerOf(entry: Entry, settings: LdapSettings, attributes: readonly string[]): ProviderIdentity {
	const { subjectAttribute, nameAttribute, usernameAttribute, emailAttribute } = settings
	const texts = textsOf(entry, attributes)
	const single = [subjectAttribute, nameAttribute, usernameAttribute, emailAttribute]
	const claims = { ...texts, ...Object.fromEntries(single.map((name) => [name, texts[name]?.[0]])) }
	const isGuid = guidNames(subjectAttribute).length > 0
	const found = isGuid ? formatGuid(valuesOf(entry, subjectAttribute)) : claims[subjectAttribute]
	const subject = typeof found === 'string' ? found : ''
	// The subject serves as a token, as the session is checked by it.
	return { issuer: ldapIssuer(settings), subject, claims, refreshToken: subject }
}

/**
 * Checks whether a person still exists and matches the filter.
 * @returns the attributes that features want
 * @throws ProviderUnreachable; ProviderRefused with `invalid_grant` if they do not
 */
export async function checkLdapEntry(settings: LdapSettings, subject: string): Promise<Record<string, string[]>> {
	const attribute = settings.subjectAttribute
	const value = guidNames(attribute).length > 0 ? parseGuid(subject) : subject
	const isOf = new EqualityFilter({ attribute, value })
	const filter = new AndFilter({ filters: [isOf, FilterParser.parseString(anybody(settings))] })
	const wanted = wantedAttributes()
	const attributes = wanted.length > 0 ? wanted : ['1.1']
	const found = await connected(settings, (client) => search(client, settings, { filter, attributes, sizeLimit: 2 }))
	if (found.length === 0) throw new ProviderRefused('knows you no more.', 'invalid_grant')
	const [entry] = found === 'many' ? [] : found
	return entry ? textsOf(entry, wanted) : {}
}

/** Subjects that one search names. */
const SUBJECTS_AT_ONCE = 100

/**
 * Looks up which people still exist and match the filter.
 * @param subjects of identities of this directory
 * @returns those that were found
 * @throws ProviderUnreachable, ProviderRefused, InvalidLdapSetting: then nothing is known about anybody
 */
export async function findLdapSubjects(settings: LdapSettings, subjects: readonly string[]): Promise<Set<string>> {
	const { subjectAttribute: attribute } = settings
	const explicitBufferAttributes = guidNames(attribute)
	const isGuid = explicitBufferAttributes.length > 0
	const people = FilterParser.parseString(anybody(settings))
	const known = new Set<string>()
	for (let from = 0; from < subjects.length; from += SUBJECTS_AT_ONCE) {
		const some = subjects.slice(from, from + SUBJECTS_AT_ONCE)
		const named = some.map((one) => new EqualityFilter({ attribute, value: isGuid ? parseGuid(one) : one }))
		const filter = new AndFilter({ filters: [new OrFilter({ filters: named }), people] })
		const limits = { sizeLimit: 2 * SUBJECTS_AT_ONCE, explicitBufferAttributes }
		const entries = await connected(settings, (client) =>
			search(client, settings, { filter, attributes: [attribute], ...limits }),
		)
		if (entries === 'many') throw new ProviderUnreachable('The directory did not list everybody.')
		for (const entry of entries) for (const subject of subjectsOf(entry, attribute)) known.add(subject)
	}
	return new Set(subjects.filter((subject) => known.has(plainSubject(subject))))
}

/** The values of the attribute that identifies an entry, as {@link plainSubject}. */
function subjectsOf(entry: Entry, attribute: string): string[] {
	const [, value = []] = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? []
	const texts = guidNames(attribute).length > 0 ? [formatGuid(value)] : [value].flat()
	return texts.filter((one) => typeof one === 'string').map(plainSubject)
}

/** Directories compare without regard to case and outer blanks. */
function plainSubject(subject: string): string {
	return subject.trim().toLowerCase()
}

/** Attributes of Active Directory that contain a binary GUID: in lower case, and as the directory spells them. */
const guidAttributes: Readonly<Record<string, string>> = {
	objectguid: 'objectGUID',
	'ms-ds-consistencyguid': 'mS-DS-ConsistencyGuid',
}

/** The spellings of a GUID attribute in a response; none for other attributes. */
function guidNames(attribute: string): string[] {
	const canonical = guidAttributes[attribute.toLowerCase()]
	return canonical === undefined ? [] : [...new Set([canonical, attribute])]
}

/**
 * Formats a binary GUID of Active Directory.
 * @returns the usual notation, such as `6f9619ff-8b86-d011-b42d-00c04fc964ff`; null for anything but 16 bytes
 */
export function formatGuid(value: unknown): string | null {
	const bytes = Array.isArray(value) && value.length === 1 ? value[0] : value
	if (!Buffer.isBuffer(bytes) || bytes.length !== 16) return null
	return swapped(bytes)
		.toString('hex')
		.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The binary form of a GUID; empty for an invalid one, which matches no entry. */
export function parseGuid(text: string): Buffer {
	const digits = text.replaceAll('-', '')
	return /^[\da-f]{32}$/i.test(digits) ? swapped(Buffer.from(digits, 'hex')) : Buffer.alloc(0)
}

/** The first three parts of a GUID are stored in little-endian order (MS-DTYP 2.3.4.2). */
function swapped(bytes: Buffer): Buffer {
	const copy = Buffer.from(bytes)
	for (const [start, end] of [
		[0, 4],
		[4, 6],
		[6, 8],
	] as const)
		copy.subarray(start, end).reverse()
	return copy
}

/** A setting that proved wrong when it was used. */
export class InvalidLdapSetting extends Error {
	readonly setting: keyof LdapSettings
	constructor(setting: keyof LdapSettings, message: string) {
		super(message)
		this.setting = setting
	}
}

/** Tests the settings of a directory without logging anybody in. @throws InvalidLdapSetting, ProviderUnreachable, ProviderRefused */
export async function testLdap(settings: LdapSettings): Promise<void> {
	const { subjectAttribute, emailAttribute } = settings
	await connected(settings, async (client) => {
		const has = async (filter: string) =>
			(await search(client, settings, { filter, attributes: ['1.1'], sizeLimit: 1 })).length > 0
		const people = anybody(settings)
		if (!(await has(people)))
			throw new InvalidLdapSetting('userFilter', 'No entry below the base DN matches this filter.')
		for (const setting of ['subjectAttribute', 'emailAttribute'] as const) {
			const name = setting === 'subjectAttribute' ? subjectAttribute : emailAttribute
			if (!(await has(`(&${people}(${name}=*))`)))
				throw new InvalidLdapSetting(setting, `Nobody who matches the filter has the attribute ${name}.`)
		}
	})
}

/** The filter that matches everybody who may log in. */
function anybody({ userFilter }: LdapSettings): string {
	return userFilter.replaceAll('{username}', '*')
}

/** @returns the entries; `many` if there are more than requested */
async function search(client: Client, { baseDn }: LdapSettings, options: SearchOptions): Promise<Entry[] | 'many'> {
	try {
		const limits = { timeLimit: OPERATION_LIMIT_MS / 1_000, derefAliases: 'never', scope: 'sub' } as const
		return (await client.search(baseDn, { ...limits, ...options })).searchEntries
	} catch (error) {
		if (error instanceof ResultCodeError && error.code === SIZE_LIMIT_EXCEEDED) return 'many'
		if (error instanceof ResultCodeError && [32, 34].includes(error.code))
			throw new InvalidLdapSetting('baseDn', 'The directory has no such entry, or hides it from this bind DN.')
		throw error
	}
}

/** Runs requests on a new TLS connection, bound as the search account. Errors are logged without a password. */
async function connected<Result>(settings: LdapSettings, work: (client: Client) => Promise<Result>): Promise<Result> {
	const { address, startTls, bindDn, bindPassword } = settings
	const client = new Client({ url: address, timeout: OPERATION_LIMIT_MS, connectTimeout: OPERATION_LIMIT_MS })
	const late = Promise.withResolvers<never>()
	const timer = setTimeout(() => late.reject(new Error('It took too long.')), TIME_LIMIT_MS)
	const asked = async () => {
		if (startTls && address.startsWith('ldap:'))
			await client.startTLS({ host: hostOf(address), servername: hostOf(address) })
		if (bindDn !== '')
			await client.bind(bindDn, bindPassword).catch((error: unknown) => {
				if (error instanceof InvalidCredentialsError)
					throw new InvalidLdapSetting('bindPassword', 'The directory does not know this bind DN with this password.')
				throw error
			})
		return work(client)
	}
	try {
		return await Promise.race([asked(), late.promise])
	} catch (error) {
		throw explained(error, address)
	} finally {
		clearTimeout(timer)
		client.unbind().catch(() => {})
	}
}

function hostOf(address: string): string {
	return new URL(address).hostname
}

function explained(error: unknown, address: string): unknown {
	if ([Invalid, TooManyRequests, ProviderRefused, InvalidLdapSetting].some((kind) => error instanceof kind))
		return error
	const { code, message } = error as { code?: unknown; message?: string }
	log.warn({ code, reason: message, host: hostOf(address) }, 'the LDAP directory did not answer as expected')
	if (error instanceof ResultCodeError && !failing.includes(error.code))
		return new ProviderRefused('gave an answer that this site cannot use. Ask who runs this site.', '', {
			cause: error,
		})
	return new ProviderUnreachable('The directory did not answer.', { cause: error })
}
