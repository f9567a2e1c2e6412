import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { picture } from '../../factories/pictures.ts'

/* Fills a site before it is upgraded with data of every kind, by forms and the API, so that it works for other commits too. */

/** A reader; null for a visitor. */
export interface Account {
	email: string
	password: string
}

/** The password of all members registered here. */
const PASSWORD = 'a lantern at the ford'
const MAX_ATTEMPTS = 4

interface Post {
	id: number
	url: string
}

/** A member with a browser at a running site. */
export class Member {
	readonly username: string
	readonly account: Account
	/** The origin of the site. */
	readonly site: string
	private cookie = ''

	constructor(site: string, account: Account) {
		this.site = site
		this.account = account
		this.username = account.email.split('@')[0] ?? ''
	}

	/** @throws Error if the login fails */
	async logIn(): Promise<this> {
		const answer = await this.submit('/login', { ...this.account })
		const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
		this.cookie = cookies.filter((line) => /^(__Host-)?session/.test(line)).join('; ')
		if (!this.cookie) throw new Error(`${this.username} cannot log in: ${answer.status} ${await answer.text()}`)
		return this
	}

	/** Requests an address without following redirects; errors are returned. */
	get(path: string): Promise<Response> {
		return this.fetch(path, {}, true)
	}

	/** Submits a form without scripts. @throws Error unless the site redirects or responds with 2xx */
	async submit(path: string, fields: Record<string, string | Blob>): Promise<Response> {
		const hasFile = Object.values(fields).some((value) => value instanceof Blob)
		const body = hasFile ? new FormData() : new URLSearchParams()
		for (const [name, value] of Object.entries(fields)) (body as FormData).set(name, value as string)
		return this.fetch(path, { method: 'POST', body })
	}

	/** Calls the API. @returns the parsed response, undefined if empty @throws Error unless it is 2xx */
	async call<Answer = { id: number }>(method: string, path: string, body?: object): Promise<Answer> {
		const headers = { 'Content-Type': 'application/json' }
		const answer = await this.fetch(`/api/v1${path}`, { method, ...(body && { headers, body: JSON.stringify(body) }) })
		const text = await answer.text()
		return (text ? JSON.parse(text) : undefined) as Answer
	}

	/** Waits and retries after a 429. */
	private async fetch(path: string, init: RequestInit, mayBeRefused = false): Promise<Response> {
		const headers = { Origin: this.site, Cookie: this.cookie, ...init.headers }
		for (let attempt = 1; ; attempt += 1) {
			const answer = await fetch(this.site + path, { redirect: 'manual', ...init, headers })
			if (answer.ok || (answer.status >= 300 && answer.status < 400)) return answer
			if (mayBeRefused && answer.status !== 429) return answer
			if (answer.status !== 429 || attempt === MAX_ATTEMPTS) {
				const text = (await answer.text()).replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').replace(/\s+/g, ' ')
				throw new Error(
					`${this.username}: ${init.method ?? 'GET'} ${path} answered ${answer.status}: ${text.slice(0, 1_500)}`,
				)
			}
			await sleep((Number(answer.headers.get('Retry-After')) + 1) * 1_000)
		}
	}
}

/** The members, and the addresses to read afterwards. */
export interface UpgradeData {
	people: Record<'admin' | 'member' | 'newcomer' | 'suspended' | 'blocked' | 'moderator', Account>
	/** Paths that show what was done. */
	addresses: string[]
}

/** Creates data on a site with the demo content and imported questions. @param demo accounts of the demo */
export async function createUpgradeData(
	site: string,
	demo: { member: Account; moderator: Account },
): Promise<UpgradeData> {
	const member = await new Member(site, demo.member).logIn()
	const moderator = await new Member(site, demo.moderator).logIn()
	// On some versions the first member is the admin.
	const admin = await register(site, 'Ada Lindqvist', 'ada')
	const newcomer = await register(site, 'Nora Vandermeer', 'nora')
	const suspended = await register(site, 'Sol Ember', 'sol')
	const blocked = await register(site, 'Ines Copperfield', 'ines')
	const cast = { admin, member, moderator, newcomer, suspended, blocked }
	await fillProfile(newcomer)
	const texts = await discuss(cast)
	await applyPostingRules(cast, texts)
	await keepSettings(cast, texts.timeline)
	await chat(cast)
	for (const one of Object.values(cast)) await one.submit('/logout', {})
	const { timeline, ...others } = texts
	const posts = [timeline, ...Object.values(others).filter((text) => 'url' in text)]
	const people = Object.fromEntries(Object.entries(cast).map(([who, { account }]) => [who, account]))
	return {
		people: people as UpgradeData['people'],
		addresses: posts.flatMap(({ id, url }) => [
			url,
			`/forum/history/${id}`,
			`/api/v1/queries/${id}`,
			`/api/v1/queries/${id}/comments`,
		]),
	}
}

type Cast = Record<keyof UpgradeData['people'], Member>

async function register(site: string, name: string, username: string): Promise<Member> {
	const account = { email: `${username}@campus.example`, password: PASSWORD }
	await new Member(site, account).submit('/register', { name, ...account, confirmPassword: PASSWORD })
	return new Member(site, account).logIn()
}

/** A different picture for each width. */
async function file(width: number): Promise<Blob> {
	return new Blob([Uint8Array.from(await picture('png', width, 60))], { type: 'image/png' })
}

async function fillProfile(nora: Member): Promise<void> {
	const at = `/edit-profile/${nora.username}`
	const save = async (part: string, fields: Record<string, string | Blob>) => {
		const page = await (await nora.get(at + part)).text()
		const version = /name="version"[^>]*value="(\d+)"/.exec(page)?.[1]
		await nora.submit(part === '' ? `${at}?index` : at + part, { ...fields, ...(version && { version }) })
	}
	await save('', {
		...{ fullName: 'Nora Vandermeer', phone: '+31 20 555 0100', city: 'Delft', expertise_in: 'Distributed systems' },
		...{
			about: 'I like clocks that agree.\n\nAsk me about <b>leases</b> & fencing.',
			skills: 'Rust, PostgreSQL, Kayaking maps',
		},
		...{ open_to: 'mentoring', show_email: 'on', listed: 'on', show_presence: 'on', profile_url_file: await file(96) },
	})
	await save('/academics', {
		...{ university_name: 'Eastmere Institute of Technology', location: 'Delft', enrol_in_branch_name: 'Informatics' },
		...{ year_of_passing: '2029', current_semester: '3', current_year: '2', enrolment_number: 'N-17' },
		university_email: 'nora@eastmere.example',
	})
	await save('/social-links', { github: 'https://github.com/nora-vandermeer', portfolio: 'https://nora.example/' })
	await save('/certificates', {
		...{
			certificate_title: 'Boat licence',
			certificate_url: 'https://boats.example/nora',
			certificate_image_file: await file(104),
		},
		...{ certificate_issue_date: '2025-04-01', certificate_expire_date: '2035-04-01' },
	})
	for (const number of [1, 2])
		await save('/projects', {
			...{
				project_title: `Tide table ${number}`,
				project_description: 'Predicts **water**.',
				project_tech_stack: 'Rust, SVG',
			},
			...{ project_date: `2026-0${number}-15`, project_source_code_link: 'https://git.example/tides' },
			...(number === 1 && { project_image_file: await file(112) }),
		})
}

const timelineText = (
	picture: string,
) => `The feed is sorted by time, **newest first**, and @odalys.fernbrook says it needs an index.

| column | type |
| --- | --- |
| at | timestamptz |

\`\`\`sql
select id from posts where author = $1 order by at desc limit 20
\`\`\`

![the plan](${picture})

See <https://plans.example/timeline?x=1&y=2>.`

/** Questions, answers, votes and edits in different states. */
async function discuss({ member, moderator, newcomer, suspended, blocked }: Cast) {
	for (const one of [newcomer, moderator]) await one.call('PUT', '/categories/databases/following')
	const data = Buffer.from(await (await file(320)).arrayBuffer()).toString('base64')
	const shown = await member.call<{ url: string }>('POST', '/pictures', { data })
	const ask = (who: Member, title: string, description: string, tags = 'timelines, fresh'): Promise<Post> =>
		who.call<Post>('POST', '/queries', { title, description, tags, category: 'databases' })
	const timeline = await ask(member, 'Which index does a timeline need?', timelineText(shown.url))
	const comment = (who: Member, body: string, parentId: number | null = null, on = timeline) =>
		who.call('POST', `/queries/${on.id}/comments`, { body, parentId })

	const answer = await comment(moderator, 'One on `(author, at desc)`. It is read backwards as well.')
	const reply = await comment(member, 'Thank you, @odalys.fernbrook. And for all authors?', answer.id)
	await comment(moderator, 'Then a second one on `at` alone.', reply.id)
	const wrong = await comment(newcomer, 'No index at all, sort it in the browser.')
	const gone = await comment(newcomer, 'This comment was deleted by its author and had a reply.')
	await comment(member, 'A reply to what is gone.', gone.id)
	const rude = await comment(newcomer, 'This comment was hidden by a moderator.')
	const disputed = await comment(newcomer, 'This comment was reported, and the report dismissed.')
	const linked = await comment(suspended, 'This comment waits: https://elsewhere.example/offer')
	await newcomer.call('DELETE', `/comments/${gone.id}`)
	await member.call('PUT', `/comments/${answer.id}/solution`)
	for (const one of [newcomer, moderator]) await one.call('PUT', `/queries/${timeline.id}/vote`, { vote: 1 })
	for (const one of [newcomer, member]) await one.call('PUT', `/comments/${answer.id}/vote`, { vote: 1 })
	await member.call('PUT', `/comments/${wrong.id}/vote`, { vote: -1 })
	await member.call('PATCH', `/comments/${reply.id}`, {
		body: 'Thank you, @odalys.fernbrook. And for *all* authors at once?',
	})
	await member.call('PATCH', `/queries/${timeline.id}`, { title: 'Which index does a timeline of posts need?' })
	await moderator.call('PATCH', `/queries/${timeline.id}`, { tags: 'timelines, fresh, postgresql' })

	const plain = 'A question in a state of its own.'
	return {
		...{ timeline, answer, wrong, rude, disputed, linked },
		locked: await ask(member, 'A question that a moderator locked', plain),
		hidden: await ask(member, 'A question that a moderator hid', plain),
		merged: await ask(member, 'Which index for a timeline (merged)', plain),
		deleted: await ask(member, 'A question that its author deleted', plain),
		reported: await ask(member, 'A question that was reported', plain),
		muted: await ask(moderator, 'A question whose thread is muted', plain),
		waiting: await ask(newcomer, 'A question that waits for a moderator', 'Look at https://elsewhere.example/1'),
		published: await ask(newcomer, 'A question of a newcomer', plain, 'freshz'),
		refused: await ask(suspended, 'A question that a moderator kept out', 'Look at https://elsewhere.example/2'),
		approved: await ask(blocked, 'A question that a moderator let pass', 'Look at https://elsewhere.example/3'),
	}
}

/** Reports and moderation actions. Two questions, a comment, a profile and a message stay reported. */
async function applyPostingRules(
	{ member, moderator, newcomer, suspended, blocked }: Cast,
	texts: Awaited<ReturnType<typeof discuss>>,
) {
	const judge = (kind: string, name: string | number, act: string, more: object = {}) =>
		moderator.call('POST', `/moderation/${kind}/${name}/acts`, { act, why: `The reason to ${act} it.`, ...more })
	await judge('query', texts.locked.id, 'lock')
	await judge('query', texts.hidden.id, 'hide')
	await judge('query', texts.merged.id, 'merge', { into: String(texts.timeline.id) })
	await judge('query', texts.refused.id, 'refuse')
	await judge('query', texts.approved.id, 'approve')
	await judge('comment', texts.rude.id, 'hide')
	await member.call('DELETE', `/queries/${texts.deleted.id}`)
	await newcomer.call('POST', `/queries/${texts.reported.id}/reports`, { reason: 'off-topic' })
	await blocked.call('POST', `/queries/${texts.reported.id}/reports`, {
		reason: 'other',
		details: 'It is no question.',
	})
	await member.call('POST', `/comments/${texts.wrong.id}/reports`, { reason: 'spam' })
	await member.call('POST', `/comments/${texts.disputed.id}/reports`, { reason: 'abusive' })
	await judge('comment', texts.disputed.id, 'dismiss')
	await member.call('POST', `/profiles/${suspended.username}/reports`, { reason: 'other', details: 'No person.' })
	await judge('profile', blocked.username, 'suspend', { time: '1 week' })
	await judge('profile', blocked.username, 'lift')
	await moderator.call('PUT', '/tags/timelines/description', { description: 'Lists in the order of <time>.' })
	await moderator.call('PUT', '/synonyms/freshz', { main: 'fresh' })
	const imported = await member.call<{ rows: (Post & { title: string })[] }>('GET', '/queries?category=python&limit=50')
	const [first, second] = imported.rows.filter(({ title }) => /\(\d+\)$/.test(title))
	if (!first || !second) throw new Error('There are no imported questions.')
	await member.call('POST', `/queries/${first.id}/comments`, { body: 'A comment under an imported question.' })
	await member.call('PUT', `/queries/${first.id}/vote`, { vote: 1 })
	await moderator.call('PATCH', `/queries/${first.id}`, { title: 'An imported question, edited by a moderator' })
	await judge('query', second.id, 'hide')
}

/** Drafts, follows, mutes, tokens and notifications. */
async function keepSettings({ member, newcomer }: Cast, timeline: Post): Promise<void> {
	const draft = { title: 'Half a question', description: 'It begins with', tags: 'fresh', category: 'java' }
	await member.call('PUT', '/me/drafts/ask', draft)
	await member.call('PUT', `/me/drafts/edit:${timeline.id}`, { ...draft, title: 'Half an edit', madeFrom: 1 })
	await newcomer.call('PUT', '/me/drafts/ask', { ...draft, title: 'Another half' })
	await member.call('PUT', '/categories/python/following')
	await member.call('PUT', '/tags/fresh/following')
	await member.call('PUT', `/queries/${timeline.id}/muting`)
	await newcomer.submit('/settings?index', { 'reply-site': 'on', 'mention-mail': 'on' })
	await member.submit('/settings/messages', { typing: 'hidden' })
	await member.submit('/settings/tokens', { intent: 'make', name: 'A script', scopes: 'read', days: '365' })
	const { rows } = await member.call<{ rows: { id: number }[] }>('GET', '/me/notifications')
	await member.call('POST', '/me/notifications/read', { ids: rows.slice(0, 2).map(({ id }) => id) })
}

/** Conversations: a long one with edits and a picture, an unread one, a request, a muted and a blocked one, and a reported message. */
async function chat({ member, moderator, newcomer, suspended, blocked }: Cast): Promise<void> {
	const send = (from: Member, to: Member, body: string) =>
		from.call('POST', `/me/conversations/${to.username}/messages`, { body })
	const sent: { id: number }[] = []
	for (let number = 1; number <= 56; number += 1) {
		const [from, to] = number % 3 === 0 ? [newcomer, moderator] : [moderator, newcomer]
		sent.push(await send(from, to, `Message ${number} about *tides* and \`clocks\`.`))
	}
	const at = (number: number) => `/me/conversations/${moderator.username}/messages/${sent[number - 1]?.id}`
	await newcomer.call('PATCH', at(3), { body: 'Message 3, changed afterwards.' })
	await newcomer.call('DELETE', at(6))
	await newcomer.call('PUT', `/me/conversations/${moderator.username}/read`, { upTo: sent[49]?.id })
	await newcomer.submit(`/messages/${moderator.username}`, {
		...{ intent: 'send', clientId: randomUUID(), body: 'And this is the chart.', upTo: String(sent[49]?.id) },
		picture_file: await file(200),
	})
	await send(moderator, member, 'Would you look at the queue with me?')
	await send(member, moderator, 'Tomorrow, gladly.')
	await send(moderator, member, 'This one is unread.')
	await member.call('PUT', `/me/conversations/${moderator.username}/muted`)
	const offer = await send(suspended, member, 'Buy my notes?')
	await send(blocked, newcomer, 'May I ask you something?')
	await send(newcomer, blocked, 'No.')
	await newcomer.call('PUT', `/me/blocks/${blocked.username}`)
	await newcomer.submit('/settings/messages', { accepts: 'verified' })
	await member.call('POST', `/me/conversations/${suspended.username}/messages/${offer.id}/reports`, {
		words: 'He sells notes.',
	})
	await moderator.call('POST', `/moderation/profile/${suspended.username}/acts`, {
		...{ act: 'suspend', why: 'He sells notes in private messages.', time: 'for ever' },
	})
}
