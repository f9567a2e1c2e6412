/*
 * All rate limits by name; rate-limits.server.ts enforces them (decision 39). Limits of what somebody may store, such as posts an hour or
 * followed tags, are counted in the stored rows, and are with their features.
 */

/** A number of uses within a window, which starts with the first of them. */
export interface UseLimit {
	/** The beginning of the error message; omitted if the feature words the whole message. */
	words?: string
	/** The window in seconds. */
	duration: number
	/** Uses of one member, over all devices and tokens. */
	member: number
	/** Uses of all visitors at one address (of IPv6, one /64), which a whole campus may share; null if visitors are refused anyway. */
	address: number | null
	/**
	 * Where uses are counted. `process`: in memory, so a site of n processes allows up to n times as much; for limits that protect the CPU.
	 * `database`: in PostgreSQL, for all processes; for limits that protect stored data. `redis`: as `database`, but in Redis if it is
	 * available.
	 */
	counted: 'process' | 'database' | 'redis'
	/**
	 * Uses that a process takes from the shared counter at once, a divisor of `member`: one statement per block. Unused ones are lost at the
	 * end of the window, so a member who is served by n processes may have (n - 1) × (block - 1) uses less. With `redis` and several
	 * processes the block is 1, as clients are told what is left.
	 */
	block?: number
}

/** A limit of login attempts with growing waits; all times are in seconds. */
export interface AttemptLimit {
	/** Attempts without a wait. */
	free: number
	/** The waits after the last free attempt, the next one, and so on; the last value repeats. */
	waits: readonly number[]
	/** The count is reset after this time without a counted attempt. */
	forgottenAfter: number
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Limits of reading and writing: {@link UseLimit}. */
export const usageLimits = {
	/** Rendered pages and their data; not pages from the visitors' cache. */
	pages: { words: 'You opened many pages', duration: MINUTE, member: 600, address: 600, counted: 'process' },
	/** Reads of the API. Our own pages make about five; a whole campus may share an address. */
	apiReads: { duration: MINUTE, member: 600, address: 600, counted: 'redis', block: 20 },
	/** Writes of the API. */
	apiWrites: { duration: MINUTE, member: 60, address: 60, counted: 'redis', block: 10 },
	/** Profiles of others, as page, data or JSON Resume. */
	profiles: {
		words: 'You opened many profiles',
		duration: HOUR,
		member: 1_000,
		address: null,
		counted: 'database',
		block: 20,
	},
	/** The list of members once it is searched, filtered or paged. */
	peopleSearch: {
		words: 'You searched for people many times',
		duration: MINUTE,
		// The list is updated while typing: one search may load it a dozen times.
		member: 120,
		address: 300,
		counted: 'database',
		block: 10,
	},
	/** Suggestions while typing: people, skills, tags, universities. */
	suggestions: {
		words: 'You asked for many suggestions',
		duration: MINUTE,
		member: 120,
		address: 600,
		counted: 'process',
	},
	/** The switcher, which sends a request for nearly every key. */
	switcher: {
		words: 'You asked for many suggestions',
		duration: MINUTE,
		member: 300,
		address: 900,
		counted: 'process',
	},
	/** Similar questions while typing. */
	similar: { words: 'You asked for many suggestions', duration: MINUTE, member: 120, address: 600, counted: 'process' },
	/** “This solved mine” under a similar question. */
	solvedBySimilar: {
		words: 'You marked many questions',
		duration: HOUR,
		member: 30,
		address: 60,
		counted: 'process',
	},
	/** Previews of Markdown. */
	previews: { words: 'You asked for many previews', duration: MINUTE, member: 60, address: 300, counted: 'process' },
	messageSearch: {
		words: 'You searched your messages many times',
		duration: MINUTE,
		member: 60,
		address: null,
		counted: 'process',
	},
	/** Edits and deletions of messages: each is sent to all tabs of both members. */
	messageChanges: { duration: MINUTE, member: 30, address: null, counted: 'database' },
	/** Saves of profile sections, certificates, projects and imports. */
	profileSaves: {
		words: 'You saved your profile many times',
		duration: 10 * MINUTE,
		member: 60,
		address: null,
		counted: 'database',
	},
	/** Archives of a member's data: each reads everything about the member. */
	archives: { words: 'You asked for several archives', duration: DAY, member: 3, address: null, counted: 'database' },
	/** Requests for a member's repositories at GitHub. */
	repositories: {
		words: 'You asked GitHub many times',
		duration: 10 * MINUTE,
		member: 20,
		address: null,
		counted: 'process',
	},
	/** Edits of questions and comments, each of which stores the previous text. */
	edits: { words: 'You edited many texts', duration: 10 * MINUTE, member: 60, address: null, counted: 'database' },
	/** Logins by passkey or identity provider, counted at the button. */
	outsideLogins: {
		words: 'You tried to log in many times',
		duration: 10 * MINUTE,
		member: 60,
		// A lecture hall may share an address.
		address: 1_200,
		counted: 'process',
	},
	/** Refused logout tokens. Valid ones are not counted, as the login service of the campus has one address for everybody. */
	logoutTokens: { words: 'Many logouts were refused', duration: MINUTE, member: 600, address: 600, counted: 'process' },
	/** Saves of site settings, some of which send requests to other servers. */
	siteSettings: {
		words: 'You saved many settings',
		duration: 10 * MINUTE,
		member: 60,
		address: null,
		counted: 'database',
	},
	/** Test mails that an admin sends to themselves. */
	setupMails: {
		words: 'You sent many test emails',
		duration: 10 * MINUTE,
		member: 5,
		address: null,
		counted: 'database',
	},
	/** Test mails to an own address that bounced. */
	testMails: {
		words: 'You asked for several test mails',
		duration: DAY,
		member: 3,
		address: null,
		counted: 'database',
	},
	/** Bounce reports from mail servers and services, including those with a wrong secret. */
	mailReports: { words: 'Many reports came', duration: MINUTE, member: 600, address: 600, counted: 'process' },
	/** Toggles: votes, follows, mutes, blocks, bookmarks. */
	toggles: {
		words: 'You made many changes',
		duration: 10 * MINUTE,
		member: 300,
		address: null,
		counted: 'database',
		block: 10,
	},
} as const satisfies Record<string, UseLimit>

/** NIST SP 800-63B-4, 3.2.2: at most 100 failed attempts in a row on one account. */
const MAX_GUESSES = 100
const guessWaits = [15 * MINUTE, 15 * MINUTE, 30 * MINUTE]
const growing = [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 15 * MINUTE]
const growingSlowly = [20, 30, MINUTE, 2 * MINUTE, 5 * MINUTE]

/**
 * Limits of login attempts: {@link AttemptLimit}. Logins from a known device are counted per device only, so that
 * strangers who guess cannot lock the owner out. Other logins are counted for the account, the address and its network.
 * A whole campus may share an address, so successful logins are subtracted again, and a lecture hall may register at
 * once.
 */
export const attemptLimits = {
	'login-account': {
		free: 5,
		waits: [...guessWaits, ...Array<number>(MAX_GUESSES - 5 - guessWaits.length).fill(HOUR), DAY],
		forgottenAfter: 7 * DAY,
	},
	'login-device': { free: 5, waits: growing, forgottenAfter: DAY },
	/** Second factors: a stranger who has the password guesses no faster, and a known device is counted separately. */
	'code-account': { free: 5, waits: [...guessWaits, HOUR], forgottenAfter: 7 * DAY },
	'code-device': { free: 5, waits: growing, forgottenAfter: DAY },
	'login-address': { free: 50, waits: growing, forgottenAfter: HOUR },
	'login-network': { free: 250, waits: growing, forgottenAfter: HOUR },
	'confirm-identity': { free: 5, waits: growing, forgottenAfter: DAY },
	'change-password': { free: 5, waits: growing, forgottenAfter: DAY },
	'register-account': { free: 5, waits: [HOUR], forgottenAfter: HOUR },
	'register-address': { free: 30, waits: growingSlowly, forgottenAfter: 10 * MINUTE },
	'register-network': { free: 150, waits: growingSlowly, forgottenAfter: 10 * MINUTE },
	/** Registrations without the required proof of work, counted separately from others. */
	'register-unproven': { free: 60, waits: growingSlowly, forgottenAfter: 10 * MINUTE },
	/** A proof of work is valid once. */
	'register-proof': { free: 1, waits: [HOUR], forgottenAfter: HOUR },
	/** Mails that visitors request: links to reset a password, or replacements for expired links. */
	'forgot-address': { free: 30, waits: growing, forgottenAfter: HOUR },
	'reset-link': { free: 10, waits: growing, forgottenAfter: HOUR },
	'reset-address': { free: 50, waits: growing, forgottenAfter: HOUR },
	/** Mails to a member's new address; the limit per address is that of all mails. */
	'email-change': { free: 5, waits: [DAY], forgottenAfter: DAY },
	/** Passwords entered where a mailed link asks for one. */
	'confirm-link': { free: 5, waits: growing, forgottenAfter: DAY },
	'confirm-address': { free: 50, waits: growing, forgottenAfter: HOUR },
	/** Mails to university addresses; the limit per address is as high as that of other mails. */
	'campus-member': { free: 5, waits: [DAY], forgottenAfter: DAY },
	'campus-address': { free: 100, waits: growing, forgottenAfter: HOUR },
} satisfies Record<string, AttemptLimit>
