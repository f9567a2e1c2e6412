import { createHmac, timingSafeEqual } from 'node:crypto'
import { config } from '~/config.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { isModerator, requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { listKinds, listSources, type NotificationKindName } from './kinds.server.ts'
import { type Channel, channelNames } from './notifications.view.ts'
import { disableMailsOf, findPreferences, setMail, setWeekly, storePreferences } from './preferences.queries.server.ts'

/** A member's choice for one kind, by channel. */
export interface PreferenceView extends Record<Channel, boolean> {
	kind: NotificationKindName
	label: string
	/** The channels that cannot be turned off. */
	always: readonly Channel[]
}

/** The viewer's preferences for all kinds, and whether mails to them are withheld because they come back. @throws NotAllowed */
export async function getPreferences(
	viewer: Viewer,
): Promise<{ daily: boolean; weekly: boolean; isWithheld: boolean; kinds: PreferenceView[] }> {
	const member = requireSignedIn(viewer)
	const stored = await findPreferences(member.id)
	const rows = kindsFor(member).map(([kind, { label, always = [] }]) => {
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
 * Stores the viewer's preferences.
 * @param chosen names of ticked checkboxes: `{kind}-{channel}`, as in `reply-mail`, `daily` and `weekly`
 * @param shown the kinds that the form showed: the others, such as those of a new moderator, keep their channels
 * @throws NotAllowed
 */
export async function setPreferences(
	viewer: Viewer,
	chosen: ReadonlySet<string>,
	shown: readonly unknown[] | null = null,
): Promise<void> {
	const member = requireSignedIn(viewer)
	const asked = kindsFor(member).filter(([kind]) => shown?.includes(kind) ?? true)
	const rows = asked.map(([kind, { always = [] }]) => ({
		kind,
		...byChannel((channel) => always.includes(channel) || chosen.has(`${kind}-${channel}`)),
	}))
	await db()
		.transaction()
		.execute((trx) =>
			storePreferences(trx, member.id, {
				mail: chosen.has('daily') ? 'daily' : 'off',
				weekly: chosen.has('weekly'),
				kinds: rows,
			}),
		)
}

/** The kinds that this viewer may get. */
function kindsFor(viewer: SignedIn): ReturnType<typeof listKinds> {
	return listKinds().filter(([, { staff = false }]) => !staff || isModerator(viewer))
}

function byChannel(value: (channel: Channel) => boolean): Record<Channel, boolean> {
	return Object.fromEntries(channelNames.map((channel) => [channel, value(channel)])) as Record<Channel, boolean>
}

/** Milliseconds. RFC 8058 sets no limit; nobody unsubscribes by a mail older than this. */
const LINK_LIFETIME_MS = 90 * 86_400_000

const oldLinkMessage = 'This link is incomplete or has expired. You can turn emails off in your settings.'

/** What a link unsubscribes from: all mails, the weekly one, or those of a kind with separate mails. */
type Unwanted = 'all' | 'weekly' | NotificationKindName

/** The address that unsubscribes a member without a login (RFC 8058). */
export function unsubscribeUrl(userId: number, what: Unwanted = 'all'): string {
	const claim = `${what}-${userId}.${Date.now() + LINK_LIFETIME_MS}`
	return `${config().publicUrl}/unsubscribe?token=${claim}.${sign(claim)}`
}

/**
 * Whom a link unsubscribes, and from what.
 * @returns `noun` is the topic of the mails, in “emails about messages”; null for all mails and the weekly one
 * @throws Invalid for a forged or expired link
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
		throw new Invalid(oldLinkMessage)
	const source = listSources().find(([kind]) => kind === what)
	if (what !== 'all' && what !== 'weekly' && !source) throw new Invalid(oldLinkMessage)
	return { userId: Number(userId), what: what as Unwanted, noun: source?.[1].noun ?? null }
}

/** Unsubscribes by a link; repeating it changes nothing. @throws Invalid */
export async function unsubscribe(token: string): Promise<void> {
	const { userId, what } = readUnsubscribe(token)
	const ends = {
		all: async () => (await setMail(db(), userId, 'off')) && setWeekly(db(), userId, false),
		weekly: () => setWeekly(db(), userId, false),
	}
	const done = await (what === 'all' || what === 'weekly' ? ends[what]() : disableMailsOf(userId, what))
	if (!done) throw new Invalid(oldLinkMessage)
}

/** Signed with the site's secret; the prefix separates these signatures from others. */
function sign(claim: string): string {
	return createHmac('sha256', authSecret()).update(`unsubscribe:${claim}`).digest('base64url')
}
