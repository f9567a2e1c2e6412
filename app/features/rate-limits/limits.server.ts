/*
 * Every limit of how often something may be done, by name; rate-limits.server.ts counts (decision 39). How much somebody may store,
 * such as posts an hour or followed tags, is counted among what is stored, and stands with its feature.
 */

/** So many uses in a stretch of time, which begins with the first of them. */
export interface UseLimit {
	/** What was done too often, as the beginning of the refusal. Left out where the feature words the whole refusal. */
	words?: string
	/** Seconds that are counted over. */
	duration: number
	/** Uses within the duration, of one member over all devices and tokens. */
	member: number
	/**
	 * Uses of all visitors at one address (of IPv6, one /64), which a whole campus may share; null where visitors are
	 * refused anyway.
	 */
	address: number | null
	/**
	 * Where uses are counted. `process`: in the memory of each process, so that a site of n processes allows up to n times as much;
	 * it spares the machine. `database`: in PostgreSQL, for all processes; it protects what is stored. `redis`: as `database`, but
	 * in Redis where there is one and it answers.
	 */
	counted: 'process' | 'database' | 'redis'
	/**
	 * How many uses of a member a process takes from the site's counter at once, a divisor of `member`: one statement in so many uses. What
	 * is left of it when the time is over is lost, so a member who meets n processes may have (n - 1) × (block - 1) uses less. What
	 * is counted in `redis` is taken one by one where there may be several processes, as callers are told what is left.
	 */
	block?: number
}

/** Attempts to get in, each of which makes the next one wait longer; all times are in seconds. */
export interface AttemptLimit {
	/** So many attempts pass without a wait. */
	free: number
	/** The wait after the last free attempt, after the next one, and so on; the last one stays. */
	waits: readonly number[]
	/** After so long without a counted attempt the count begins again. */
	forgottenAfter: number
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Limits of reading and saving: {@link UseLimit}. */
export const useLimits = {
	/** Pages that are rendered for this request, and their data; pages from the cache of visitors are not counted. */
	pages: { words: 'You opened many pages', duration: MINUTE, member: 600, address: 600, counted: 'process' },
	/** Calls of the API that read. A page of ours makes about five; a whole campus may share an address. */
	apiReads: { duration: MINUTE, member: 600, address: 600, counted: 'redis', block: 20 },
	/** Calls of the API that write. */
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
	/** The community's list as soon as it is searched, filtered or read on. */
	peopleSearch: {
		words: 'You searched for people many times',
		duration: MINUTE,
		// The list follows what is typed: one search may be a dozen lists.
		member: 120,
		address: 300,
		counted: 'database',
		block: 10,
	},
	/** What a text that is being typed may become: people, skills, tags, universities. */
	suggestions: {
		words: 'You asked for many suggestions',
		duration: MINUTE,
		member: 120,
		address: 600,
		counted: 'process',
	},
	/** What the switcher offers: it asks with nearly every key. */
	switcher: {
		words: 'You asked for many suggestions',
		duration: MINUTE,
		member: 300,
		address: 900,
		counted: 'process',
	},
	/** Questions like the one that is being typed. */
	similar: { words: 'You asked for many suggestions', duration: MINUTE, member: 120, address: 600, counted: 'process' },
	/** “This solved mine” under a similar question. */
	solvedBySimilar: {
		words: 'You marked many questions',
		duration: HOUR,
		member: 30,
		address: 60,
		counted: 'process',
	},
	/** Markdown as it will look. */
	previews: { words: 'You asked for many previews', duration: MINUTE, member: 60, address: 300, counted: 'process' },
	/** Searches in one's own messages. */
	messageSearch: {
		words: 'You searched your messages many times',
		duration: MINUTE,
		member: 60,
		address: null,
		counted: 'process',
	},
	/** Edits and deletions of messages together: each is told to every tab of both members. */
	messageChanges: { duration: MINUTE, member: 30, address: null, counted: 'database' },
	/** Saves of the parts of a profile, its certificates, projects and imports. */
	profileSaves: {
		words: 'You saved your profile many times',
		duration: 10 * MINUTE,
		member: 60,
		address: null,
		counted: 'database',
	},
	/** Archives of one's own data: each reads everything that there is of a member. */
	archives: { words: 'You asked for several archives', duration: DAY, member: 3, address: null, counted: 'database' },
	/** Lists of one's repositories that are asked for at GitHub. */
	repositories: {
		words: 'You asked GitHub many times',
		duration: 10 * MINUTE,
		member: 20,
		address: null,
		counted: 'process',
	},
	/** Edits of questions and comments, each of which keeps the text before it. */
	edits: { words: 'You edited many texts', duration: 10 * MINUTE, member: 60, address: null, counted: 'database' },
	/** Logins by passkeys, and at sites that vouch for members, from the button to the way back. */
	outsideLogins: {
		words: 'You tried to log in many times',
		duration: 10 * MINUTE,
		member: 60,
		// A lecture hall may share an address.
		address: 1_200,
		counted: 'process',
	},
	/** Saves of the site's settings, some of which ask another server first. */
	siteSettings: {
		words: 'You saved many settings',
		duration: 10 * MINUTE,
		member: 60,
		address: null,
		counted: 'database',
	},
	/** Letters that an admin sends to themselves, to see whether mail works. */
	testLetters: {
		words: 'You sent many test emails',
		duration: 10 * MINUTE,
		member: 5,
		address: null,
		counted: 'database',
	},
	/** Test mails to one's own address, from which mails came back. */
	testMails: {
		words: 'You asked for several test mails',
		duration: DAY,
		member: 3,
		address: null,
		counted: 'database',
	},
	/** Reports on mails that mail servers and services send; those with a wrong secret count too. */
	mailReports: { words: 'Many reports came', duration: MINUTE, member: 600, address: 600, counted: 'process' },
	/** What is switched on and off: votes, follows, mutes, blocks, bookmarks. */
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
 * Limits of attempts to get in: {@link AttemptLimit}. A login from a known device is counted by that device alone: strangers who
 * guess cannot lock its owner out, from whatever address. Any other login is counted for the account, the address and its network. A
 * whole campus may share an address: logins that succeed are taken back, and a lecture hall may register at once.
 */
export const attemptLimits = {
	'login-account': {
		free: 5,
		waits: [...guessWaits, ...Array<number>(MAX_GUESSES - 5 - guessWaits.length).fill(HOUR), DAY],
		forgottenAfter: 7 * DAY,
	},
	'login-device': { free: 5, waits: growing, forgottenAfter: DAY },
	/** Codes after the right password: a stranger who has it guesses no faster, and a known device is counted apart. */
	'code-account': { free: 5, waits: [...guessWaits, HOUR], forgottenAfter: 7 * DAY },
	'code-device': { free: 5, waits: growing, forgottenAfter: DAY },
	'login-address': { free: 50, waits: growing, forgottenAfter: HOUR },
	'login-network': { free: 250, waits: growing, forgottenAfter: HOUR },
	'confirm-identity': { free: 5, waits: growing, forgottenAfter: DAY },
	'change-password': { free: 5, waits: growing, forgottenAfter: DAY },
	'register-account': { free: 5, waits: [HOUR], forgottenAfter: HOUR },
	'register-address': { free: 30, waits: growingSlowly, forgottenAfter: 10 * MINUTE },
	'register-network': { free: 150, waits: growingSlowly, forgottenAfter: 10 * MINUTE },
	/** Registrations that came without the proof of work that was asked for: they cost nobody else's. */
	'register-unproven': { free: 60, waits: growingSlowly, forgottenAfter: 10 * MINUTE },
	/** A proof of work counts once. */
	'register-proof': { free: 1, waits: [HOUR], forgottenAfter: HOUR },
	/** Mails that visitors ask for: with a link for a new password, or with one in place of a link whose time is over. */
	'forgot-address': { free: 30, waits: growing, forgottenAfter: HOUR },
	'reset-link': { free: 10, waits: growing, forgottenAfter: HOUR },
	'reset-address': { free: 50, waits: growing, forgottenAfter: HOUR },
	/** Mails to a new address of a member; to one address they are counted with all other mails. */
	'email-change': { free: 5, waits: [DAY], forgottenAfter: DAY },
	/** Passwords typed where a link of a mail asks for one. */
	'confirm-link': { free: 5, waits: growing, forgottenAfter: DAY },
	'confirm-address': { free: 50, waits: growing, forgottenAfter: HOUR },
	/** Mails to university addresses; to one address they are counted with all other mails. */
	'campus-member': { free: 5, waits: [DAY], forgottenAfter: DAY },
	'campus-address': { free: 100, waits: growing, forgottenAfter: HOUR },
} satisfies Record<string, AttemptLimit>
