import type pg from 'pg'
import { features } from '~/features/index.server.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import routes from '~/routes.ts'

/** A page for staff, requested with different parameters. */
export interface StaffPage {
	/** The name in the table of results. */
	name: string
	/** @param turn number of the request; returns its address and, for a form, its fields */
	at: (turn: number) => { path: string; form?: Record<string, string> }
}

/** The staff routes of the site map, as patterns. */
function staffPatterns(): string[] {
	const found: string[] = []
	const walk = (entries: readonly (typeof routes)[number][], above: string) => {
		for (const { path, children } of entries) {
			const whole = [above, path].filter(Boolean).join('/')
			if (path !== undefined && /^(admin|moderation)(\/|$)/.test(whole)) found.push(whole)
			walk(children ?? [], whole)
		}
	}
	walk(routes, '')
	return found
}

/**
 * All pages for staff, with the filters that change the statements.
 * @throws Error for a route without a definition here, and for a definition without a route
 */
export async function staffPages(database: pg.Client): Promise<StaffPage[]> {
	const known = await kinds(database)
	const patterns = staffPatterns()
	const missing = patterns.filter((pattern) => !known[pattern])
	const obsolete = Object.keys(known).filter((pattern) => !patterns.includes(pattern))
	if (missing.length + obsolete.length > 0)
		throw new Error(
			`bench/admin/addresses.ts: add ${missing.join(', ') || 'nothing'}; take out ${obsolete.join(', ') || 'nothing'}.`,
		)
	return Object.entries(known).flatMap(([pattern, pages]) =>
		Object.entries(pages).map(([name, at]) => ({ name: name === '' ? `/${pattern}` : `/${pattern}, ${name}`, at })),
	)
}

/** By route pattern: measured variants by name, '' for the page without filters. */
type Kinds = Record<string, Record<string, StaffPage['at']>>

async function kinds(database: pg.Client): Promise<Kinds> {
	/** The values of a statement's only column, one per turn. */
	const each = async (statement: string) => {
		const { rows } = await database.query<{ value: string }>(`select value::text from (${statement}) found`)
		return (turn: number): string => {
			const value = rows[turn % rows.length]?.value
			if (value === undefined) throw new Error(`Nothing to measure a page with: ${statement}`)
			return value
		}
	}
	const page = (path: string) => () => ({ path })
	const pages = (path: (turn: number) => string) => (turn: number) => ({ path: path(turn) })
	const word = (value: string) => encodeURIComponent(value)
	const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

	const member = await each(
		`select username as value from users where not imported and role = 'member' order by id * 7919 % 10007 limit 400`,
	)
	const writer = await each(
		`select username as value from users where role = 'member' order by (select count(*) from comments where author_id = users.id) desc limit 20`,
	)
	const query = await each(
		`select target_id as value from cases where kind = 'query' order by closed_at nulls first limit 300`,
	)
	const comment = await each(
		`select target_id as value from cases where kind = 'comment' order by closed_at nulls first limit 300`,
	)
	const profile = await each(
		`select username as value from cases join users on users.id = target_id where kind = 'profile' order by closed_at nulls first limit 300`,
	)
	const category = await each('select id as value from categories')
	const slug = await each('select slug as value from categories')
	const term = await each('select id as value from vocabulary_terms order by id * 7919 % 10007 limit 200')
	const list = await each('select id as value from invite_lists')
	const invite = await each('select id as value from invites')
	const webhook = await each('select id as value from webhooks')
	const memberPlace = await each(
		`select ${isoTime('created_at')} || ' ' || id as value from users where not imported order by id * 7919 % 10007 limit 200`,
	)
	const casePlace = await each(
		`select ${isoTime('active_at')} || ' ' || id as value from cases where closed_at is null`,
	)
	const logPlace = await each('select id as value from moderation_log order by id * 7919 % 100003 limit 200')
	const termPlace = await each('select id as value from vocabulary_terms order by id * 7919 % 10007 limit 200')
	const timeCursor = (place: string) => {
		const [at = '', id] = place.split(' ')
		return word(encodeCursor([at, Number(id)]))
	}
	const sections = features.flatMap(({ settingSections = [] }) => settingSections.map(({ name }) => name))
	const section = (turn: number) => sections[turn % sections.length] ?? ''
	const document = (turn: number) => ['terms', 'privacy', 'imprint'][turn % 3] ?? ''
	const period = (turn: number) => ['all', '1 hour', '1 day', '1 week', '1 month'][turn % 5] ?? ''
	const members = (filter: string) => page(`/admin/members?${filter}`)
	const exported = { path: '/admin/members.csv' }

	return {
		moderation: {
			'': page('/moderation'),
			'most reported': page('/moderation?order=reported'),
			'my cases': page('/moderation?handler=mine'),
			'nobody’s cases': page('/moderation?handler=none'),
			'any later page': pages((turn) => `/moderation?cursor=${timeCursor(casePlace(turn))}`),
		},
		'moderation/members': { '': page('/moderation/members') },
		'moderation/log': {
			'': page('/moderation/log'),
			'of a member': pages((turn) => `/moderation/log?member=${member(turn)}`),
			'an action, of some weeks': page('/moderation/log?act=hide&from=2026-01-01&to=2026-03-01'),
			'any later page': pages((turn) => `/moderation/log?cursor=${word(encodeCursor([Number(logPlace(turn))]))}`),
		},
		'moderation/log.csv': { all: () => ({ path: '/moderation/log.csv', form: { member: '' } }) },
		'moderation/routing': { '': page('/moderation/routing') },
		'moderation/searches': { '': page('/moderation/searches') },
		'moderation/terms': {
			'': page('/moderation/terms'),
			'a search': pages((turn) => `/moderation/terms?q=${'abcdefghijklmnoprstuvw'[turn % 22]}`),
			'any later page': pages(
				(turn) => `/moderation/terms?cursor=${word(encodeCursor([turn % 3, Number(termPlace(turn))]))}`,
			),
			'new words': page('/moderation/terms?list=new'),
		},
		'moderation/terms/new': { '': pages((turn) => `/moderation/terms/new?word=word${turn}`) },
		'moderation/term/:id': { '': pages((turn) => `/moderation/term/${term(turn)}`) },
		'moderation/account/:username': {
			'': pages((turn) => `/moderation/account/${member(turn)}?period=${word(period(turn))}`),
			'of who writes much': pages((turn) => `/moderation/account/${writer(turn)}?period=${word(period(turn))}`),
		},
		'moderation/accounts': {
			'': pages(
				(turn) => `/moderation/accounts?accounts=${word([0, 1, 2].map((more) => member(turn + more)).join(' '))}`,
			),
		},
		'moderation/:kind/:id': {
			'a query': pages((turn) => `/moderation/query/${query(turn)}`),
			'a comment': pages((turn) => `/moderation/comment/${comment(turn)}`),
			'a profile': pages((turn) => `/moderation/profile/${profile(turn)}`),
		},
		admin: { '': page('/admin') },
		'admin/backups': { '': page('/admin/backups') },
		'admin/categories': { '': page('/admin/categories') },
		'admin/categories/new': { '': page('/admin/categories/new') },
		'admin/categories/:id': { '': pages((turn) => `/admin/categories/${category(turn)}`) },
		'admin/figures': {
			'': page('/admin/figures'),
			'of a category': pages((turn) => `/admin/figures?category=${slug(turn)}`),
		},
		'admin/figures.csv': { '': page('/admin/figures.csv') },
		'admin/figures/usage': { '': page('/admin/figures/usage') },
		'admin/invitations': { '': page('/admin/invitations') },
		'admin/invitations/list': { '': page('/admin/invitations/list') },
		'admin/invitations/list/:id': { '': pages((turn) => `/admin/invitations/list/${list(turn)}`) },
		'admin/leavers': { '': page('/admin/leavers') },
		'admin/legal': { '': page('/admin/legal') },
		'admin/legal/:kind': { '': pages((turn) => `/admin/legal/${document(turn)}`) },
		'admin/members': {
			'': page('/admin/members'),
			'any later page': pages((turn) => `/admin/members?cursor=${timeCursor(memberPlace(turn))}`),
			'a name': pages((turn) => `/admin/members?q=${member(turn).slice(0, 4)}`),
			'nobody by that name': pages((turn) => `/admin/members?q=zzq${turn}`),
			suspended: members('state=suspended'),
			hidden: members('state=hidden'),
			unconfirmed: members('state=unconfirmed'),
			'never logged in': members('state=never'),
			verified: members('state=verified'),
			'mail returned': members('state=returned'),
			moderators: members('role=moderator'),
			'a year': pages((turn) => `/admin/members?year=${2024 + (turn % 6)}`),
			'a domain': members('domain=campus.example'),
			'a cohort': pages((turn) => `/admin/members?cohort=${word(`Class of ${2024 + (turn % 6)}`)}`),
			'by a link': pages((turn) => `/admin/members?invite=${invite(turn)}`),
		},
		'admin/members.csv': {
			'all 5,000': () => ({ ...exported, form: { q: '' } }),
			'those who never logged in': () => ({ ...exported, form: { state: 'never' } }),
		},
		'admin/bulk': {
			'the preview of 500': pages(
				(turn) => `/admin/bulk?act=log-out&all=1&cohort=${word('Class of 2024')}&domain=&year=${2025 + (turn % 4)}`,
			),
		},
		'admin/members/:username': {
			'': pages((turn) => `/admin/members/${member(turn)}`),
			'who writes much': pages((turn) => `/admin/members/${writer(turn)}`),
		},
		'admin/members/:username/merge': {
			'': pages((turn) => `/admin/members/${member(turn)}/merge`),
			'the preview': pages((turn) => `/admin/members/${writer(turn)}/merge?into=${member(turn)}`),
		},
		'admin/settings': { '': page('/admin/settings') },
		'admin/settings/:section': { '': pages((turn) => `/admin/settings/${section(turn)}`) },
		'admin/webhooks': { '': page('/admin/webhooks') },
		'admin/webhooks/:id': { '': pages((turn) => `/admin/webhooks/${webhook(turn)}`) },
	}
}
