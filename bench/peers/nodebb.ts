// A running NodeBB, through the API that NodeBB 3 and 4 document in their OpenAPI files.
import { z } from 'zod'
import type { Page, Peer, PeerRequest } from './measure.ts'

export interface NodebbOptions {
	/** Its origin, without a trailing slash. */
	url: string
	username: string
	password: string
	/** Reports the processor time of its processes. */
	processorTime: Peer['processorTime']
}

const topicList = z.object({
	topics: z.array(z.object({ tid: z.number(), slug: z.string(), title: z.string(), postcount: z.number() })),
	topicCount: z.number().optional(),
})
const userList = z.object({
	users: z.array(z.object({ username: z.string(), userslug: z.string() })),
	userCount: z.number().optional(),
})
type Topic = z.infer<typeof topicList>['topics'][number]

const topicsWanted = 1_000
/** Minimum posts of the measured topic, including its question. */
const postsWanted = 21

/**
 * Logs in and collects the addresses to measure.
 * @throws Error in one sentence if NodeBB cannot be reached, rejects the credentials or has too little content
 */
export async function openNodebb(options: NodebbOptions): Promise<Peer> {
	const { url } = options
	const session = await logIn(options)
	const member = { cookie: session.cookie }
	const read = async <Shape>(path: string, shape: z.ZodType<Shape>): Promise<Shape> => {
		const answer = await fetch(`${url}/api${path}`, { headers: member })
		if (answer.status !== 200) throw new Error(`NodeBB answered ${path} with ${answer.status}.`)
		return shape.parse(await answer.json())
	}
	const topics = await listTopics(read)
	const { users, userCount } = await read('/users', userList)
	const long = topics.filter(({ postcount }) => postcount >= postsWanted).sort((a, b) => a.postcount - b.postcount)[0]
	const [first] = topics
	const [person] = users
	if (!first || !long || !person || topics.length < 200)
		throw new Error(`NodeBB holds too little: 200 topics, one of ${postsWanted} posts and a user are needed.`)
	const both = (html: PeerRequest): { html: Page; data: Page } => ({
		html: { asks: [html] },
		data: { asks: [{ ...html, path: `/api${html.path}` }] },
	})
	const list = both({ path: '/recent', headers: member, shows: first.title })
	const people = both({
		path: `/users?query=${encodeURIComponent(person.username)}`,
		headers: member,
		shows: person.username,
	})
	const searches = distinctWords(topics).map(
		(word): PeerRequest => ({ path: searchPath(word), headers: member, shows: word }),
	)
	return {
		name: 'NodeBB',
		url,
		content: `${userCount ?? 'some'} members, topics up to ${Math.max(...topics.map(({ tid }) => tid))}`,
		processorTime: options.processorTime,
		pages: {
			'visitors: list, cached': { asks: [{ path: '/recent', shows: first.title }] },
			'visitors: 200 different topics': {
				asks: topics.slice(0, 200).map(({ slug, title }) => ({ path: `/topic/${slug}`, shows: title })),
			},
			'member: list, HTML': list.html,
			'member: list, data': list.data,
			'member: topic, HTML': both({ path: `/topic/${long.slug}`, headers: member, shows: long.title }).html,
			'member: profile, HTML': both({ path: `/user/${person.userslug}`, headers: member, shows: person.username }).html,
			'people search, HTML': people.html,
			'people search, data': people.data,
			'full-text search of distinct words, HTML': { once: true, asks: searches.filter((_, index) => index % 2 === 0) },
			'full-text search of distinct words, data': {
				once: true,
				asks: searches.filter((_, index) => index % 2 === 1).map((ask) => ({ ...ask, path: `/api${ask.path}` })),
			},
			'a comment by the API': {
				asks: [
					{
						path: `/api/v3/topics/${first.tid}`,
						headers: { ...member, 'x-csrf-token': session.csrf },
						body: { content: 'Measured by a benchmark, with enough words to be taken for a reply.' },
						shows: 'Measured by a benchmark',
					},
				],
			},
		},
	}
}

async function logIn({ url, username, password }: NodebbOptions): Promise<{ cookie: string; csrf: string }> {
	const before = await readConfig(url, '')
	const answer = await fetch(`${url}/login`, {
		method: 'POST',
		redirect: 'manual',
		headers: { cookie: before.cookie, 'x-csrf-token': before.csrf, 'content-type': 'application/json' },
		body: JSON.stringify({ username, password, remember: 'on' }),
	})
	await answer.arrayBuffer()
	if (answer.status !== 200) throw new Error(`NodeBB refused the login with ${answer.status}.`)
	const { cookie, csrf, uid } = await readConfig(url, cookieOf(answer) || before.cookie)
	if (!uid) throw new Error('NodeBB took the login, but its session belongs to nobody.')
	return { cookie, csrf }
}

/** The session, and the CSRF token for writes. */
async function readConfig(url: string, cookie: string): Promise<{ cookie: string; csrf: string; uid: number }> {
	const answer = await fetch(`${url}/api/config`, { headers: { cookie } })
	const config = z.object({ csrf_token: z.string(), uid: z.number().default(0) }).parse(await answer.json())
	return { cookie: cookieOf(answer) || cookie, csrf: config.csrf_token, uid: config.uid }
}

function cookieOf(answer: Response): string {
	return answer.headers
		.getSetCookie()
		.map((cookie) => cookie.split(';')[0])
		.join('; ')
}

type Read = <Shape>(path: string, shape: z.ZodType<Shape>) => Promise<Shape>

async function listTopics(read: Read): Promise<Topic[]> {
	const topics: Topic[] = []
	for (let page = 1; topics.length < topicsWanted; page += 1) {
		const { topics: some } = await read(`/recent?page=${page}`, topicList)
		if (some.length === 0) break
		topics.push(...some)
	}
	return topics
}

function searchPath(word: string): string {
	return `/search?in=titlesposts&term=${encodeURIComponent(word)}`
}

/** Distinct words of five letters and more in titles. */
export function distinctWords(titles: { title: string }[]): string[] {
	const words = titles.flatMap(({ title }) => title.toLowerCase().match(/\p{L}{5,}/gu) ?? [])
	return [...new Set(words)]
}
