import { operations } from '~/features/api/openapi.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Planted, PlantedWords } from './planted-member.ts'
import { routePaths } from './raw-http.ts'

/*
 * Every address where something of a member can be read, derived from the site map and the API's operations. Throws for a route or an
 * operation with an unknown parameter.
 */

/** A leaving member, with everything that must not be found afterwards. */
export interface Leaver {
	member: SignedIn
	words: PlantedWords
	planted: Planted
	/** All usernames that the member ever had. */
	usernames: string[]
	/** In lower case: words, names, addresses and pictures that must not be found. */
	marks: string[]
	/** Rows of others that mention the member. */
	ids: { term: number | null; list: number; search: number }
	/** The feed of a member who can answer the leaver's questions. */
	feed: string
}

type Values = (leaver: Leaver) => (string | number)[]

const questionsOf: Values = ({ planted }) => [...planted.questions, planted.answered].map(({ id }) => id)

/** Values of parameters, wherever they occur. */
const parameters: Record<string, Values> = {
	username: ({ usernames }) => usernames,
	category: () => ['others'],
	slug: () => ['others'],
	tag: ({ words }) => [words.texts, words.own],
	key: () => ['ask'],
}

/** Values of `id`, `kind` and the like, by route. */
const places: Record<string, (leaver: Leaver) => string[]> = {
	'/login/:provider': () => ['/login/github'],
	'/login/:provider/callback': () => ['/login/github/callback'],
	'/answer/feed.atom': ({ feed }) => [feed],
	'/following/search/:id': ({ ids }) => [`/following/search/${ids.search}`],
	'/media/*': ({ planted }) =>
		Object.entries(planted.pictures).map(([kind, path]) => `/media/${path}-${kind === 'profile' ? 224 : 640}.webp`),
	// Covered by the route above.
	'/media/messages/*': () => [],
	// Covered by the addresses that /notifications links to.
	'/notifications/:id': () => [],
	'/forum/category/:slug': () => ['/forum/category/others'],
	'/forum/invite/:id': ({ planted }) => [`/forum/invite/${planted.answered.id}`],
	'/forum/edit/:username/:id': (leaver) =>
		questionsOf(leaver).map((id) => `/forum/edit/${leaver.member.username}/${id}`),
	'/forum/comment/:id': ({ planted }) => planted.comments.map((id) => `/forum/comment/${id}`),
	'/forum/history/:id': (leaver) => questionsOf(leaver).map((id) => `/forum/history/${id}`),
	'/forum/history/comment/:id': ({ planted }) => planted.comments.map((id) => `/forum/history/comment/${id}`),
	'/forum/:category/:username/:id/:slug?': (leaver) => [
		...[...leaver.planted.questions, leaver.planted.answered].map(({ url }) => url),
		...leaver.usernames.map((username) => `/forum/others/${username}/${leaver.planted.questions[0]?.id}`),
	],
	'/report/:kind/:id': (leaver) => subjectsOf(leaver).map((subject) => `/report/${subject}`),
	'/moderation/:kind/:id': (leaver) => subjectsOf(leaver).map((subject) => `/moderation/${subject}`),
	'/moderation/term/:id': ({ ids }) => [`/moderation/term/${ids.term}`],
	'/admin/categories/:id': () => ['/admin/categories/1'],
	'/admin/invitations/list/:id': ({ ids }) => [`/admin/invitations/list/${ids.list}`],
	'/admin/legal/:kind': () => ['/admin/legal/imprint'],
	'/admin/settings/:section': () => ['/admin/settings/announcement'],
	// There is none; its deliveries have ids only.
	'/admin/webhooks/:id': () => [],
	'/*': () => ['/nothing-here'],
	'/queries/{id}': (leaver) => questionsOf(leaver).map((id) => `/queries/${id}`),
	'/queries/{id}/comments': (leaver) => questionsOf(leaver).map((id) => `/queries/${id}/comments`),
	'/queries/{id}/edits': (leaver) => questionsOf(leaver).map((id) => `/queries/${id}/edits`),
	'/comments/{id}': ({ planted }) => planted.comments.map((id) => `/comments/${id}`),
	'/comments/{id}/edits': ({ planted }) => planted.comments.map((id) => `/comments/${id}/edits`),
	'/tags/{name}': ({ words }) => [`/tags/${words.texts}`],
	'/moderation/{kind}/{name}': (leaver) => subjectsOf(leaver).map((subject) => `/moderation/${subject}`),
	'/me/conversations/{username}/messages/{id}': ({ usernames, planted }) =>
		planted.messages.map((id) => `/me/conversations/${usernames[0]}/messages/${id}`),
	'/me/conversations/{username}/changes': ({ usernames }) => [`/me/conversations/${usernames[0]}/changes?since=0`],
}

function subjectsOf({ planted, usernames }: Leaver): string[] {
	return [
		...planted.questions.map(({ id }) => `query/${id}`),
		...planted.comments.slice(0, 2).map((id) => `comment/${id}`),
		...usernames.map((username) => `profile/${username}`),
	]
}

/** Query strings of pages: searches for the member's data, and the views of lists. */
function questionsAbout({ words, usernames }: Leaver): Record<string, string[]> {
	const terms = [words.texts, words.own, words.name, ...usernames].map(encodeURIComponent)
	const [text = '', own = '', name = ''] = terms
	const username = usernames.at(-1) ?? ''
	const each = (query: string, values = terms) => values.map((value) => `${query}${value}`)
	return {
		'/search': [
			...each('?q=', [text, name, username]),
			`?in=people&q=${own}`,
			`?in=projects&q=${own}`,
			`?in=queries&q=${text}`,
		],
		'/forum': [...each('?q=', [text, name]), ...each('?q=user:', usernames), '?view=active', '?view=solved'],
		'/find-dev': each('?q=', [own, name, username]),
		'/find-dev/:username': ['?posts=answers', '?posts=solutions'],
		'/my-profile/:username': ['?tab=queries'],
		'/forum/tags': [`?q=${text}`],
		'/forum/drafts': ['?key=ask'],
		'/forum/invite/:id': [`?q=${name.slice(0, 5)}`],
		'/messages': [`?q=${own}`, '?q=word'],
		'/bookmarks': [`?q=${own}`, '?kind=comment'],
		'/admin/bulk': each('?all=1&act=confirm&q=', [name, username]),
		'/admin/members/:username/merge': each('?into=', [username, 'admin']),
		'/admin/members': each('?q=', [name, username, `${usernames[0]}@campus.example`]),
		'/moderation/terms': [`?q=${own}`, '?list=new'],
		'/moderation': ['?order=reported', '?handler=none'],
		'/moderation/accounts': each('?accounts=', usernames),
		'/moderation/log': each('?member=', usernames),
		'/notifications': ['?show=unread'],
		'/sitemap.xml': ['?page=1'],
		'/suggest/everything': each('?q=', [text, own, name, username]).map((query) => query.slice(0, 9)),
		'/suggest/developers': each('?q=', [own, name, username]).map((query) => query.slice(0, 8)),
		'/suggest/known-skills': [`?q=${own.slice(0, 5)}`],
		'/suggest/skills': [`?q=${own.slice(0, 5)}`],
		'/suggest/tags': [`?q=${text.slice(0, 5)}`, `?q=${own.slice(0, 5)}`],
		'/suggest/people': each('?q=', usernames).map((query) => query.slice(0, 7)),
		'/me/messages': ['?q=word'],
		'/suggest/universities': [`?q=${own.slice(0, 5)}`],
		'/suggest/similar': [`?title=${encodeURIComponent(`How about the ${text}`)}`],
		'/queries': [`?q=${text}`, ...each('?author=', usernames), '?view=active'],
		'/people': [`?q=${own}`, `?q=${name}`],
		'/tags': [`?q=${text}`],
	}
}

/** Files, which have no `.data`. */
const FILE = /\.(json|png|atom|xml|txt|js|webmanifest|csv|zip|webp)(\?|$)/

/** All addresses of a route or an operation. @throws Error for a parameter without values */
function fill(pattern: string, leaver: Leaver): string[] {
	const place = places[pattern]
	if (place) return place(leaver)
	const [found, name = ''] = /:(\w+)|\{(\w+)\}/.exec(pattern)?.filter(Boolean) ?? []
	if (!found) return [pattern]
	const values = parameters[name]
	if (!values) throw new Error(`Say in tests/support/leaver-addresses.ts what ${name} stands for in ${pattern}.`)
	return values(leaver).flatMap((value) => fill(pattern.replace(found, String(value)), leaver))
}

/** Every address of the site by route, and of the API by operation. @throws as {@link fill} */
export function addressesOf(leaver: Leaver): Map<string, string[]> {
	const about = questionsAbout(leaver)
	const asked = (pattern: string) => {
		const paths = fill(pattern, leaver)
		return [...paths, ...paths.flatMap((path) => (about[pattern] ?? []).map((query) => path + query))]
	}
	const reading = operations.filter(({ method }) => method === 'get')
	return new Map([
		...routePaths().map((route) => [route, asked(route)] as const),
		...reading.map(({ path }) => [`GET ${path}`, asked(path).map((one) => `/api/v1${one}`)] as const),
		['GET /openapi.json', ['/api/v1/openapi.json']],
	])
}

/** The address of a page's data; null for a file. */
export function dataPath(path: string): string | null {
	if (FILE.test(path) || path.startsWith('/api/v1')) return null
	return path.replace(/^([^?]*?)\/?(\?.*)?$/, (_, at, query = '') => `${at || '/_root'}.data${query}`)
}

/** Routes and operations that never show a member, by reason. */
export const SILENT: Record<string, string[]> = {
	'It is about the reader, who has not logged in, or about a link in a mail.': [
		'/claim-admin',
		'/confirm-campus',
		'/confirm-email',
		'/confirm-identity',
		'/confirm-identity/passkey',
		'/first-steps',
		'/forgot-password',
		'/invite',
		'/login',
		'/login/:provider',
		'/login/:provider/callback',
		'/login/code',
		'/login/ldap',
		'/login/link',
		'/login/passkey',
		'/logout',
		'/register',
		'/reset-password',
		'/terms/accept',
		'/undo-email',
		'/unsubscribe',
		'/verify-campus',
		'/verify-email',
	],
	'It takes a form, and shows nothing.': [
		'/announcement',
		'/edit-profile/:username/evidence',
		'/edit-profile/:username/picture',
		'/messages/:username/wire',
		'/forum/bookmark',
		'/forum/follow',
		'/forum/following',
		'/forum/outdated',
		'/forum/preview',
		'/forum/vote',
		'/messages/read',
		'/notifications/push',
		'/notifications/read',
		'/settings/messages',
		'/theme',
	],
	'It is the same for everybody.': [
		'/*',
		'/.well-known/security.txt',
		'/api/docs',
		'/offline',
		'/privacy',
		'/robots.txt',
		'/service-worker.js',
		'/site.webmanifest',
		'/skills/evidence',
		'/suggest/universities',
		'/terms',
		'GET /openapi.json',
	],
	'It tells of categories, settings, texts of the operator, words of moderators, or numbers.': [
		'/admin',
		'/admin/backups',
		'/admin/categories/new',
		'/admin/figures',
		'/admin/figures.csv',
		'/admin/figures/usage',
		'/admin/invitations/list',
		'/admin/legal',
		'/admin/settings',
		'/admin/webhooks',
		'/admin/webhooks/:id',
		'/moderation/routing',
		'/moderation/term/:id',
		'/moderation/terms/new',
		'GET /categories',
		'GET /categories/{slug}',
		'GET /synonyms',
	],
	'It tells members how their own account stands, by no more than its name.': [
		'/edit-profile/:username/change-password',
		'/edit-profile/:username/import',
		'/settings/data',
		'/settings/leave',
		'/settings/two-factor',
		'/settings/username',
		'GET /me',
	],
	'It asks another site, or is asked by one.': [
		'/edit-profile/:username/projects/github',
		'/login/campus/backchannel-logout',
		'/login/saml/acs',
		'/login/saml/metadata',
		'/mail/bounces',
	],
	'Its addresses are asked as those of /media/*.': ['/media/messages/*'],
	'It redirects to what /notifications links to.': ['/notifications/:id'],
}
