import { isOneOfSeveral } from '~/config.server.ts'
import { findUsername } from '~/features/sessions/sessions.queries.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { listFormerNames } from './usernames.queries.server.ts'

/*
 * A name that a member had before leads to them for ever, on every address and in every call that holds it. Few members ever change
 * theirs, so each process knows all former names by heart: whoever asks with a name that is none costs nothing.
 */

/** The channel on which processes tell each other that somebody has another username. */
const channel = 'devquad_renames'
/** Milliseconds between two looks at the database, for what was never announced. */
const REREAD_MS = 60_000

const former = remember('former-names', () => new Map<string, number>())

/**
 * The username that a name leads to: of a former one that of its member today, else the name itself, whoever has it.
 * @param name in lower case
 */
export async function currentUsername(name: string): Promise<string> {
	const userId = former.get(name)
	return userId === undefined ? name : ((await findUsername(userId)) ?? name)
}

/** Whether a name was somebody's before, as far as this process knows. */
export function isFormerName(name: string): boolean {
	return former.has(name)
}

/** Notes that a name is a former one, here and in every other process. To be called after the commit. It never throws. */
export async function announceFormerName(name: string, userId: number): Promise<void> {
	former.set(name, userId)
	if (!isOneOfSeveral()) return
	try {
		await publish(channel, name)
	} catch (error) {
		log.warn({ err: error }, 'other processes could not be told of a new username')
	}
}

/**
 * Reads the former names, and begins to listen for new ones.
 * @returns what stops it
 * @throws Error when the bus or the database cannot be reached
 */
export async function listenForRenames(): Promise<() => Promise<void>> {
	const stop = isOneOfSeveral()
		? await openBus(channel, { onMessage: readQuietly, onLost: () => {}, onBack: readQuietly })
		: async () => {}
	await read()
	const timer = setInterval(readQuietly, REREAD_MS).unref()
	return async () => {
		clearInterval(timer)
		await stop()
	}
}

/** Forgets the former names of members who left, here and in every other process. It never throws. */
export async function forgetFormerNames(): Promise<void> {
	try {
		await read()
		if (isOneOfSeveral()) await publish(channel, '')
	} catch (error) {
		log.warn({ err: error }, 'former usernames could not be forgotten at once')
	}
}

async function read(): Promise<void> {
	const known = [...former.keys()]
	const names = new Map((await listFormerNames()).map(({ username, user_id }) => [username, user_id]))
	// Whoever left has none. A name that was announced meanwhile may be too new for what was read.
	for (const name of known) if (!names.has(name)) former.delete(name)
	for (const [name, userId] of names) former.set(name, userId)
}

function readQuietly(): void {
	read().catch((error) => log.debug({ err: error }, 'former usernames could not be read'))
}
