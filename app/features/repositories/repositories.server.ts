import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { fetchGithub, findGithubAccount, type GithubAccount } from '~/features/campus-login/github.server.ts'
import { ProviderUnreachable } from '~/features/campus-login/provider-fetch.server.ts'
import { requireOwner, requireProfileWriter } from '~/features/members/members.server.ts'
import { canonicalSkill } from '~/features/members/skills.server.ts'
import { saveAs } from '~/features/profile-editor/editing.server.ts'
import { countItems, insertProject, listSourceLinks } from '~/features/profile-editor/items.queries.server.ts'
import { profileLimits } from '~/features/profile-editor/profile.limits.ts'
import { projectInput } from '~/features/profile-editor/profile.schema.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { DomainError, Invalid, NotAllowed } from '~/lib/errors.ts'
import { bareUrl } from '~/lib/links.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { pluralize } from '~/lib/text.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'

/* Imports public repositories of a linked GitHub account as projects (docs/decisions/0096-projects-from-github.md). */

/** A public repository in GitHub's API. */
interface Repository {
	id: number
	name: string
	/** May be empty, like the following fields. */
	description: string
	/** The main language. */
	language: string
	homepage: string
	url: string
	/** YYYY-MM-DD. */
	createdOn: string
}

/** Per request; more would exceed the size limit of a response. */
const MAX_REPOSITORIES = 50
/** How long a response is cached, in milliseconds. */
const REPOSITORIES_LIFE_MS = 5 * 60_000

const repositoriesShape = z.array(
	z.object({
		id: z.number().int(),
		name: z.string(),
		description: z.string().nullable(),
		language: z.string().nullable(),
		homepage: z.string().nullish(),
		html_url: z.string(),
		created_at: z.string(),
		fork: z.boolean(),
		private: z.boolean(),
		owner: z.object({ id: z.number() }),
	}),
)

const kept = remember('repositories', () => new LRUCache<string, Repository[]>({ max: 200, ttl: REPOSITORIES_LIFE_MS }))

export interface RepositoryView extends Repository {
	/** Whether the profile has it as a project. */
	isAdded: boolean
}

/** The repositories to choose from, or why there are none. */
export interface RepositoriesView {
	/** Null if this site has no GitHub login. */
	isLinked: boolean | null
	repositories: RepositoryView[]
	/** A sentence about a problem with GitHub, or ''. */
	problem: string
}

/** The viewer's own public repositories. @throws NotAllowed for another member's profile */
export async function getRepositories(viewer: Viewer, username: string): Promise<RepositoriesView> {
	const owner = requireOwner(viewer, username)
	const account = await findGithubAccount(owner)
	const isLinked = account === null ? null : account !== undefined
	if (!account) return { isLinked, repositories: [], problem: '' }
	try {
		const [repositories, links] = await Promise.all([listRepositories(owner, account), listSourceLinks(owner.id)])
		const added = new Set(links.map(linkKey))
		return {
			isLinked,
			repositories: repositories.map((one) => ({ ...one, isAdded: added.has(linkKey(one.url)) })),
			problem: '',
		}
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return { isLinked, repositories: [], problem: error.message }
	}
}

/**
 * Adds repositories as projects, all or none. Skips those that were added before.
 * @param input `repository`: ids separated by commas
 * @returns the result, in a sentence
 * @throws NotAllowed, Invalid, TooManyRequests
 */
export async function addRepositories(viewer: Viewer, username: string, input: Input): Promise<string> {
	const owner = await requireProfileWriter(viewer, username)
	const account = await findGithubAccount(owner)
	if (!account) throw new NotAllowed('Link your GitHub account first.')
	const ids = new Set(String(input.repository ?? '').split(/,\s*/))
	const chosen = (await listRepositories(owner, account)).filter(({ id }) => ids.has(String(id)))
	if (chosen.length === 0) throw new Invalid('Choose at least one repository.')
	const added = await saveAs(owner, (trx) => addEach(trx, owner.id, chosen))
	if (added === 0) throw new Invalid('These are among your projects already.')
	return added === 1 ? 'Project added successfully!' : `${pluralize(added, 'project')} added.`
}

async function addEach(trx: Executor, userId: number, chosen: readonly Repository[]): Promise<number> {
	const { items } = profileLimits
	await lockTermsShared(trx)
	let count = await countItems(trx, 'projects', userId)
	const added = new Set((await listSourceLinks(userId, trx)).map(linkKey))
	const missing = chosen.filter(({ url }) => !added.has(linkKey(url)))
	for (const repository of missing) {
		count += 1
		if (count > items) throw new Invalid(`A profile has at most ${items} projects. Choose fewer, or delete some.`)
		await insertProject(trx, userId, parseInput(projectInput, fieldsOf(repository)))
	}
	return missing.length
}

/** The fields of a project; a value that breaks a rule is left out. */
function fieldsOf({ name, description, language, homepage, url, createdOn }: Repository): Input {
	const fields = {
		project_title: name,
		project_description: description,
		project_tech_stack: language === '' ? '' : canonicalSkill(language),
		project_date: createdOn,
		project_source_code_link: url,
		project_deployment_link: homepage,
	}
	const broken = projectInput.safeParse(fields).error?.issues.map(({ path }) => path[0]) ?? []
	return Object.fromEntries(Object.entries(fields).filter(([field]) => !broken.includes(field)))
}

/** Addresses of one repository have the same key: with or without `www.`, a trailing slash or `.git`, as they are copied from GitHub. */
function linkKey(url: string): string {
	return bareUrl(url)
		.toLowerCase()
		.replace(/\.git$/, '')
}

/**
 * The public repositories that an account owns, without forks, last changed first.
 * @throws NotAllowed with the problem at GitHub; TooManyRequests
 */
async function listRepositories(viewer: SignedIn, account: GithubAccount): Promise<Repository[]> {
	const key = JSON.stringify(account)
	const known = kept.get(key)
	if (known) return known
	await countUse('repositories', viewer)
	const found = await askForRepositories(account)
	kept.set(key, found)
	return found
}

async function askForRepositories({ login, id: ownerId }: GithubAccount): Promise<Repository[]> {
	const path = `/users/${encodeURIComponent(login)}/repos?type=owner&sort=pushed&per_page=${MAX_REPOSITORIES}`
	const answer = await fetchGithub(path).catch((error: unknown) => {
		if (error instanceof ProviderUnreachable) throw new NotAllowed(unreachableMessage)
		throw error
	})
	if (answer.status === 404)
		throw new NotAllowed(
			'GitHub no longer has an account with this name. Log in with GitHub once, so that this site learns the new name.',
		)
	const parsed = answer.ok ? repositoriesShape.safeParse(await answer.json().catch(() => null)) : null
	if (!parsed?.success) {
		log.warn({ status: answer.status }, 'GitHub did not list the repositories')
		throw new NotAllowed(unreachableMessage)
	}
	// A name can pass to somebody else, but the account's id cannot.
	const own = parsed.data.filter((one) => one.owner.id === ownerId && !one.fork && !one.private)
	return own.map(({ id, name, description, language, homepage, html_url, created_at }) => ({
		id,
		name,
		description: description ?? '',
		language: language ?? '',
		homepage: homepage ?? '',
		url: html_url,
		createdOn: created_at.slice(0, 10),
	}))
}

const unreachableMessage = 'GitHub does not answer right now. Try again in a few minutes, or add the project by hand.'
