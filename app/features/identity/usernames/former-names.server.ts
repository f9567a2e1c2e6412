import { redirect } from 'react-router'
import { hasSeveralProcesses } from '~/config.server.ts'
import { findUsername } from '~/features/sessions/sessions.queries.server.ts'
import { storable } from '~/lib/clean.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { listFormerNames } from './usernames.queries.server.ts'

/*
 * A former username leads to its member for ever, in every address and call. Renames are rare, so each process has all former names in
 * memory, and other names cost nothing.
 */

/** The channel of the bus that announces renames. */
const channel = 'devquad_renames'
/** Milliseconds between two reads of the table, for announcements that were lost. */
const REREAD_MS = 60_000

const former = remember('former-names', () => new Map<string, number>())

/** The present username for a former one; any other name is returned unchanged. @param name in lower case */
export async function currentUsername(name: string): Promise<string> {
	const userId = former.get(name)
	return userId === undefined ? name : ((await findUsername(userId)) ?? name)
}

/** The present username for one that somebody typed: with or without `@`, perhaps a former one. Whether a member has it is not checked. */
export function resolveUsername(typed: string): Promise<string> {
	return currentUsername(storable(typed).trim().replace(/^@/, '').toLowerCase())
}

/** The former names of a member, as far as this process knows them. */
export function formerNamesOf(userId: number): string[] {
	return [...former].flatMap(([name, id]) => (id === userId ? [name] : []))
}

/** Adds a former name, here and in all other processes. Call it after the commit. Never throws. */
export async function announceFormerName(name: string, userId: number): Promise<void> {
	former.set(name, userId)
	if (!hasSeveralProcesses()) return
	try {
		await publish(channel, name)
	} catch (error) {
		log.warn({ err: error }, 'other processes could not be notified of a new username')
	}
}

/**
 * Loads the former names and subscribes to new ones.
 * @returns a function that stops it
 * @throws Error if the bus or the database cannot be reached
 */
export async function listenForRenames(): Promise<() => Promise<void>> {
	const stop = hasSeveralProcesses()
		? await openBus(channel, { onMessage: readQuietly, onLost: () => {}, onBack: readQuietly })
		: async () => {}
	await read()
	const timer = setInterval(readQuietly, REREAD_MS).unref()
	return async () => {
		clearInterval(timer)
		await stop()
	}
}

/** Reloads the former names after members have left, here and in all other processes. Never throws. */
export async function reloadFormerNames(): Promise<void> {
	try {
		await read()
		if (hasSeveralProcesses()) await publish(channel, '')
	} catch (error) {
		log.warn({ err: error }, 'former usernames could not be removed at once')
	}
}

async function read(): Promise<void> {
	const known = [...former.keys()]
	const names = new Map((await listFormerNames()).map(({ username, user_id }) => [username, user_id]))
	// Members who left have no former names. Names announced during the read may be missing in its result.
	for (const name of known) if (!names.has(name)) former.delete(name)
	for (const [name, userId] of names) former.set(name, userId)
}

function readQuietly(): void {
	read().catch((error) => log.debug({ err: error }, 'former usernames could not be read'))
}

/* Addresses that contain a former username. */

/** Paths that contain a username, and their subpages. Those of questions are not included: they contain an id. */
const named =
	/^\/(find-dev|my-profile|edit-profile|messages|admin\/members)\/([a-z0-9_.-]+?)((?:\.json)?(?:\.data)?(?:\/.*)?)$/i

/** The present path for one with a former username; null for any other. */
async function currentPath(path: string): Promise<string | null> {
	const [, area = '', name = '', rest = ''] = named.exec(path) ?? []
	const before = name.toLowerCase()
	if (!former.has(before)) return null
	const now = await currentUsername(before)
	return now === before ? null : `/${area}/${now}${rest}`
}

/** Redirects a page with a former username in its address, with 301, before any loader runs. @throws the redirect */
export async function redirectToCurrentName({ request, url }: { request: Request; url: URL }): Promise<void> {
	if (request.method !== 'GET' && request.method !== 'HEAD') return
	const path = await currentPath(url.pathname)
	if (path !== null) throw redirect(path + url.search, 301)
}

/**
 * Rewrites a write request with a former username, sent by a tab that was open during the rename: a redirect would lose its body. Read
 * requests are returned unchanged.
 */
export async function rewriteFormerName(request: Request): Promise<Request> {
	if (request.method === 'GET' || request.method === 'HEAD') return request
	const url = new URL(request.url)
	const path = await currentPath(url.pathname)
	if (path === null) return request
	url.pathname = path
	return new Request(url, request)
}
