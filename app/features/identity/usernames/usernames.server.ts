import { z } from 'zod'
import { usernameError } from '~/features/accounts/registration/names.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceAccountChange } from '~/features/sessions/sessions.server.ts'
import { fullDate, siteDay } from '~/lib/calendar.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { closeTabsOf } from '~/platform/realtime/presence.server.ts'
import { announceFormerName } from './former-names.server.ts'
import {
	claimUsernameFor,
	findMemberToRename,
	type MemberToRenameRow,
	writeUsername,
} from './usernames.queries.server.ts'

declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** A member was renamed; the old username redirects to the new one. */
		'member:renamed': (event: { from: string; to: string }) => void
	}
}

/*
 * A member keeps all usernames that they ever had: no registration, import or rename gives them to anybody else, and they redirect
 * (former-names.server.ts).
 */

/** Days between two renames by the member. Staff may rename at any time. */
const DAYS_BETWEEN_RENAMES = 30

/** Normalizes the username of a form. */
export const usernameInput = z.object({
	username: z
		.string({ error: 'Type a username.' })
		.trim()
		.toLowerCase()
		.transform((name) => name.replace(/^@/, ''))
		.pipe(z.string().min(1, 'Type a username.').max(100, 'A username has at most 40 characters.')),
})

/** When the viewer may choose another username, in ISO 8601; null if they may now. @throws NotFound */
export async function getNextRename(viewer: SignedIn): Promise<string | null> {
	const row = await requireNamed(viewer.id)
	return row.free_at?.toISOString() ?? null
}

/**
 * Renames the viewer, at most once in 30 days.
 * @param input username
 * @returns the new one
 * @throws Invalid at the field, NotAllowed for a suspended member, TooManyRequests
 */
export async function changeUsername(viewer: SignedIn, input: Input): Promise<string> {
	const { username } = parseInput(usernameInput, input)
	await countUse('profileSaves', viewer)
	const before = await db()
		.transaction()
		.execute(async (trx) => {
			await requireMayWrite(viewer.id, trx)
			const named = await requireNamed(viewer.id, trx, { lock: true })
			if (named.free_at) refuse(`You can change your username again on ${dayOf(named.free_at)}.`)
			return applyRename(trx, { id: viewer.id, ...named }, username)
		})
	await announceRename({ id: viewer.id, from: before, to: username })
	return username
}

/**
 * Renames a member, in the caller's transaction, which must hold the lock of the member's row. Call {@link announceRename} after the
 * commit.
 * @returns the previous username
 * @throws Invalid at the field
 */
export async function applyRename(
	trx: Executor,
	member: Pick<MemberToRenameRow, 'username' | 'role'> & { id: number },
	username: string,
): Promise<string> {
	if (username === member.username) refuse('This is the username already.')
	const refusal = await usernameError(username, { isStaff: member.role !== 'member' }, trx)
	if (refusal) refuse(refusal)
	if (!(await claimUsernameFor(trx, member.id, username)))
		refuse('This username is taken, or belonged to somebody else before.')
	await writeUsername(trx, member.id, username)
	return member.username
}

interface Rename {
	id: number
	from: string
	to: string
	/** The admin who did it; the member by default. */
	by?: number
}

/**
 * Updates everything that depends on a username: redirects, cached pages, sessions in all processes, and open tabs. The member's tabs are
 * notified before their sockets, which are keyed by the old name, are closed.
 */
export async function announceRename({ id, from, to, by = id }: Rename): Promise<void> {
	await Promise.all([announceFormerName(from, id), announceAccountChange(id)])
	await invalidatePages([ALL_PAGES])
	announce('everybody', 'member:renamed', { from, to })
	closeTabsOf({ id, username: from })
	await recordSecurityEvent('username-changed', { userId: id, detail: by === id ? {} : { by } })
}

function refuse(message: string): never {
	throw new Invalid(message, { username: message })
}

function dayOf(date: Date): string {
	return fullDate(siteDay(date.getTime()))
}

async function requireNamed(userId: number, executor?: Executor, lock?: { lock: boolean }): Promise<MemberToRenameRow> {
	const row = await findMemberToRename(userId, DAYS_BETWEEN_RENAMES, executor, lock)
	if (!row) throw new NotFound('There is no such account.')
	return row
}
