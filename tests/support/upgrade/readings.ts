import type { Account, Member, UpgradeData } from './life.ts'

/*
 * What readers see of a site, independent of its design: of a page the members' texts, numbers, times, and targets of links and pictures,
 * in order; of the API the whole response. Interface texts are omitted, as they may change.
 */

export type Reader = keyof UpgradeData['people'] | 'visitor'

/** What one reader saw at one address. */
export interface Reading {
	reader: Reader
	address: string
	status: number
	/** The facts of a page, the data of an API response, a redirect's target, or type and size of a file; null for an error. */
	seen: unknown
}

export type Members = Partial<Record<Reader, Pick<Member, 'get' | 'site'>>>

/** Texts by members, and names given by the site: the facts of a page besides numbers and addresses. */
export type Vocabulary = ReadonlySet<string>

const everybody: Reader[] = ['visitor', 'member', 'newcomer', 'suspended', 'blocked', 'moderator']
const MAX_WORD = 120

/** Addresses by reader. Those that end with `*` are paged to the end. */
function tableOf({ addresses }: Pick<UpgradeData, 'addresses'>): [Reader[], string[]][] {
	const mira = '/find-dev/mira.quillon'
	return [
		[everybody, addresses],
		[
			['visitor'],
			['/api/v1/queries?limit=50*', '/api/v1/tags?limit=500', '/api/v1/categories', '/forum/feed.atom', '/sitemap.xml'],
		],
		[
			['visitor', 'member', 'moderator'],
			[
				...['/', '/forum', '/forum?view=active', '/forum?view=unanswered', '/forum?view=solved', '/forum/tags'],
				...[
					'/forum/category/databases',
					'/forum/category/python',
					'/forum/tag/fresh',
					'/forum/tag/freshz',
					'/forum/tag/timelines',
				],
				...[
					'/forum?q=timeline',
					'/forum?q=loop',
					'/forum?q=%22linked+list%22',
					'/forum?q=postgres+-index',
					'/forum?q=nothingatall',
				],
				...[
					'/forum/category/java?q=thread',
					'/suggest/similar?title=Which+index+for+a+timeline',
					'/suggest/tags?q=fre',
				],
				...[
					'/api/v1/queries?q=timeline',
					'/api/v1/queries?author=mira.quillon',
					'/api/v1/tags/fresh',
					'/api/v1/synonyms',
				],
				...['/forum/category/databases/feed.atom', '/find-dev', '/find-dev/nora', mira, '/find-dev/sol'],
			],
		],
		[
			['member', 'moderator', 'newcomer'],
			[
				...[
					'/find-dev?q=rust',
					'/find-dev?skill=React',
					'/find-dev?open=mentoring',
					'/find-dev?q=delft',
					'/find-dev/nora.json',
				],
				...[
					`${mira}.json`,
					'/find-dev/ines',
					'/find-dev/odalys.fernbrook',
					'/suggest/people?q=nor',
					'/suggest/developers?q=mir',
				],
			],
		],
		[
			['member', 'newcomer', 'suspended', 'blocked', 'moderator'],
			[
				...[
					'/notifications',
					'/api/v1/me/notifications',
					'/notifications/latest',
					'/messages',
					'/messages/latest',
					'/messages?requests=1',
				],
				...['/api/v1/me', '/api/v1/me/drafts', '/api/v1/me/following', '/api/v1/me/conversations'],
				...[
					'/settings',
					'/forum/ask',
					'/forum/drafts?key=ask',
					'/moderation',
					'/moderation/log',
					'/moderation/members',
				],
				...[
					'/messages/odalys.fernbrook',
					'/messages/nora',
					'/messages/mira.quillon',
					'/messages/sol',
					'/messages/ines',
				],
				...['/api/v1/me/conversations/odalys.fernbrook', '/api/v1/me/conversations/nora/messages'],
				...[
					'/api/v1/me/conversations/odalys.fernbrook/messages?limit=20*',
					'/api/v1/me/messages?q=tides',
					'/messages?q=clocks',
				],
				'/api/v1/me/conversations/odalys.fernbrook/changes?since=0',
			],
		],
		[
			['newcomer'],
			[
				...['', '/academics', '/social-links', '/certificates', '/projects', '/import'].map(
					(part) => `/edit-profile/nora${part}`,
				),
				'/my-profile/nora',
			],
		],
		[['admin'], ['/moderation', '/moderation/log', '/moderation/members', '/api/v1/moderation/log*', '/api/v1/me']],
		[['member'], ['/edit-profile/mira.quillon', '/edit-profile/mira.quillon/projects', '/settings/tokens']],
		[
			['moderator'],
			[
				...[
					'/moderation?view=reported',
					'/moderation?view=waiting',
					'/api/v1/moderation/cases*',
					'/api/v1/moderation/log*',
				],
				...['/moderation/profile/sol', '/moderation/profile/ines', '/api/v1/moderation/profile/sol'],
			],
		],
	]
}

/** All addresses with their readers, without duplicates. @param life the data */
export function placesOf(life: Pick<UpgradeData, 'addresses'>): Pick<Reading, 'reader' | 'address'>[] {
	return tableOf(life).flatMap(([readers, addresses]) =>
		addresses.flatMap((address) => readers.map((reader) => ({ reader, address }))),
	)
}

/** Requests an address as a reader. @param address an API list that ends with `*` is paged to the end */
export async function readAddress(
	members: Members,
	{ reader, address }: Pick<Reading, 'reader' | 'address'>,
	vocabulary: Vocabulary,
): Promise<Reading> {
	const member = members[reader]
	if (!member) throw new Error(`Nobody reads as ${reader}.`)
	const first = address.replace('*', '')
	const answer = await getTitled(member, first)
	const type = answer.headers.get('Content-Type')?.split(';')[0] ?? ''
	const about = { reader, address, status: answer.status }
	if (answer.status >= 400) return { ...about, seen: null }
	if (answer.status >= 300) return { ...about, seen: answer.headers.get('Location') }
	if (type.startsWith('image/')) return { ...about, seen: [type, String((await answer.arrayBuffer()).byteLength)] }
	const text = (await answer.text()).replaceAll(member.site, 'http://site')
	if (!type.endsWith('json')) return { ...about, seen: factsOf(text, vocabulary) }
	const data = JSON.parse(text)
	if (address.endsWith('*')) await readOn(member, first, data)
	return { ...about, seen: data }
}

/** Requests an address, and follows a redirect to the one with the title. */
async function getTitled(member: Pick<Member, 'get'>, address: string): Promise<Response> {
	const answer = await member.get(address)
	const [path = '', search] = address.split('?')
	const titled = answer.status === 301 ? (answer.headers.get('Location') ?? '').split('?')[0] : undefined
	if (!titled?.startsWith(`${path}/`)) return answer
	return member.get(search === undefined ? titled : `${titled}?${search}`)
}

/** Adds the rows of the following pages. */
async function readOn(
	member: Pick<Member, 'get' | 'site'>,
	first: string,
	data: { rows: unknown[]; next: string | null },
): Promise<void> {
	while (data.next) {
		const path = `${first}${first.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(data.next)}`
		const more = (await (await member.get(path)).json()) as typeof data
		data.rows.push(...more.rows)
		data.next = more.next
	}
}

const ignored = /<(script|style|template|footer|svg|head|noscript)\b[\s\S]*?<\/\1>/g
const part = /<time\b[^>]*dateTime="([^"]*)"[^>]*>[\s\S]*?<\/time>|<!--[\s\S]*?-->|<(?:[^>"]|"[^"]*")*>|[^<]+/gi
/** Numbers that depend on the time of reading, possibly split over elements. */
const momentary = /[\d,]+(<!-- -->| |questions|queries)*(today|online now)/g
/** Relative times and formatted dates; the same times are in `dateTime` and in the API. */
const moment =
	/\b\d+ ?(s|sec|min|h|d|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b|\b\d{1,2}:\d\d\b|\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*( \d{4})?/g
const elsewhere = /^(https?:|mailto:|tel:)/
const shown =
	/^\/(forum\/[^/]+\/[^/]+\/\d+|find-dev\/|my-profile\/|messages\/.|media\/|moderation\/[^/]+\/.|forum\/(tag|category|comment|history)\/)/

/** The facts of a page: texts of the vocabulary, numbers, times, and addresses of members' content. */
export function factsOf(html: string, vocabulary: Vocabulary): string[] {
	return [...html.replace(ignored, '').replaceAll('<wbr/>', '').replace(momentary, '').matchAll(part)].flatMap(
		([text, time]) => {
			if (time !== undefined) return [time]
			return text.startsWith('<') ? factsOfTag(text) : factsOfText(text, vocabulary)
		},
	)
}

function factsOfText(text: string, vocabulary: Vocabulary): string[] {
	const lines = wordsOf(text)
	return lines.flatMap((line) => (vocabulary.has(line) ? [line] : (line.replace(moment, '').match(/\d[\d,.]*/g) ?? [])))
}

function factsOfTag(tag: string): string[] {
	const of = (name: string) => {
		const value = new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag)?.[1]
		return value === undefined ? undefined : decoded(value)
	}
	const address = of('href') ?? of('src')
	if (address && (elsewhere.test(address) || shown.test(address))) return [address.split('#')[0] ?? '']
	if (!tag.startsWith('<input') && !tag.startsWith('<option')) return []
	const chosen = /\s(checked|selected)=/.test(tag) ? ['chosen'] : []
	const isText = tag.startsWith('<input') && !/type="(hidden|checkbox|radio|file|submit|search)"/.test(tag)
	return [...chosen, ...(isText && of('value') ? [of('value') ?? ''] : [])]
}

/** The lines of a page's text, trimmed. */
export function wordsOf(html: string): string[] {
	return decoded(html)
		.split('\n')
		.map((line) => line.replace(/\s+/g, ' ').trim())
		.filter((line) => line !== '')
		.map((line) => line.slice(0, MAX_WORD))
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', nbsp: ' ', apos: "'" }

function decoded(html: string): string {
	return html.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
		if (hex) return String.fromCodePoint(Number.parseInt(hex, 16))
		return decimal ? String.fromCodePoint(Number(decimal)) : (entities[name] ?? whole)
	})
}

/** Logged-in accounts by reader. */
export async function logInReaders(
	people: Record<string, Account>,
	logIn: (account: Account) => Promise<Pick<Member, 'get' | 'site'>>,
): Promise<Members> {
	const entries = Object.entries(people).map(async ([reader, account]) => [reader, await logIn(account)])
	return Object.fromEntries(await Promise.all(entries)) as Members
}
