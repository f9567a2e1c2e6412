import { createHmac, timingSafeEqual } from 'node:crypto'
import { config } from '~/config.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { findPreferences, refuseMailsOf, setMail, setWeekly, storePreferences } from './digest.queries.server.ts'
import { listKinds, listSources, type NotificationKindName } from './kinds.server.ts'
import { type Channel, channelNames } from './notifications.view.ts'

/** Whether a member wants to be told of one kind, by each way. */
export interface PreferenceView extends Record<Channel, boolean> {
	kind: NotificationKindName
	label: string
	/** The channels that cannot be turned off. */
	always: readonly Channel[]
}

/** How the viewer wants to be told, every kind once, and whether mails are withheld, as they come back. @throws NotAllowed */
export async function getPreferences(
	viewer: Viewer,
): Promise<{ daily: boolean; weekly: boolean; isWithheld: boolean; kinds: PreferenceView[] }> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const stored = await findPreferences(viewer.id)
	const rows = kindsFor(viewer).map(([kind, { label, always = [] }]) => {
		const chosen = stored.kinds.find((row) => row.kind === kind)
		return {
			kind,
			label,
			always,
			...byChannel((channel) => always.includes(channel) || (chosen?.[channel] ?? true)),
		}
	})
	return { daily: stored.mail === 'daily', weekly: stored.weekly, isWithheld: stored.is_withheld, kinds: rows }
}

/**
 * Stores how the viewer wants to be told.
 * @param chosen the names of the boxes that were ticked: `{kind}-{channel}`, as in `reply-mail`, `daily` and `weekly`
 * @throws NotAllowed
 */
export async function setPreferences(viewer: Viewer, chosen: ReadonlySet<string>): Promise<void> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const rows = kindsFor(viewer).map(([kind, { always = [] }]) => ({
		kind,
		...byChannel((channel) => always.includes(channel) || chosen.has(`${kind}-${channel}`)),
	}))
	await db()
		.transaction()
		.execute((trx) =>
			storePreferences(trx, viewer.id, {
				mail: chosen.has('daily') ? 'daily' : 'off',
				weekly: chosen.has('weekly'),
				kinds: rows,
			}),
		)
}

/** The kinds that this viewer may be told of. */
function kindsFor(viewer: SignedIn): ReturnType<typeof listKinds> {
	return listKinds().filter(([, { staff = false }]) => !staff || isModerator(viewer))
}

function byChannel(value: (channel: Channel) => boolean): Record<Channel, boolean> {
	return Object.fromEntries(channelNames.map((channel) => [channel, value(channel)])) as Record<Channel, boolean>
}

/** RFC 8058 names no time; a mail older than this is hardly the reason to unsubscribe. Milliseconds. */
const LINK_LIFETIME_MS = 90 * 86_400_000

const oldLink = 'This link is incomplete or has expired. You can turn emails off in your settings.'

/** What a link ends: all mails, the weekly one, or those of a kind that has mails of its own. */
type Unwanted = 'all' | 'weekly' | NotificationKindName

/** The address that ends a member's mails without a login (RFC 8058). */
export function unsubscribeUrl(userId: number, what: Unwanted = 'all', now = Date.now()): string {
	const claim = `${what}-${userId}.${now + LINK_LIFETIME_MS}`
	return `${config().publicUrl}/unsubscribe?token=${claim}.${sign(claim)}`
}

/**
 * Whom a link unsubscribes, and from what.
 * @returns `noun` is what the mails are about, in “emails about messages”; null for all mails and the weekly one
 * @throws Invalid when it was not made here, or is too old
 */
export function readUnsubscribe(
	token: string,
	now = Date.now(),
): { userId: number; what: Unwanted; noun: string | null } {
	const parts = /^(((?:([a-z]+)-)?(\d{1,10}))\.(\d{1,15}))\.([\w-]{43})$/.exec(token) ?? []
	const [, claim = '', , what = 'all', userId, expires, signature = ''] = parts
	const given = Buffer.from(signature)
	const right = Buffer.from(sign(claim))
	if (given.length !== right.length || !timingSafeEqual(given, right) || Number(expires) < now)
		throw new Invalid(oldLink)
	const source = listSources().find(([kind]) => kind === what)
	if (what !== 'all' && what !== 'weekly' && !source) throw new Invalid(oldLink)
	return { userId: Number(userId), what: what as Unwanted, noun: source?.[1].noun ?? null }
}

/** Ends the mails that the link names. Done twice it is as done once. @throws Invalid */
export async function unsubscribe(token: string): Promise<void> {
	const { userId, what } = readUnsubscribe(token)
	const ends = {
		all: async () => (await setMail(db(), userId, 'off')) && setWeekly(db(), userId, false),
		weekly: () => setWeekly(db(), userId, false),
	}
	const done = await (what === 'all' || what === 'weekly' ? ends[what]() : refuseMailsOf(userId, what))
	if (!done) throw new Invalid(oldLink)
}

/** The key is the site's secret, the prefix keeps these signatures apart from everybody else's. */
function sign(claim: string): string {
	return createHmac('sha256', authSecret()).update(`unsubscribe:${claim}`).digest('base64url')
}
