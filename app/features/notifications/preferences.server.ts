import { NotAllowed } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { type Channel, channelNames } from './channels.ts'
import { findPreferences, storePreferences } from './digest.queries.server.ts'
import { listKinds } from './kinds.server.ts'
import type { PreferenceView } from './notifications.view.ts'

/** How the viewer wants to be told, every kind once. @throws NotAllowed */
export async function getPreferences(viewer: Viewer): Promise<{ daily: boolean; kinds: PreferenceView[] }> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const stored = await findPreferences(viewer.id)
	const rows = listKinds().map(([kind, { label, always = [] }]) => {
		const chosen = stored.kinds.find((row) => row.kind === kind)
		return {
			kind,
			label,
			always,
			...byChannel((channel) => always.includes(channel) || (chosen?.[channel] ?? true)),
		}
	})
	return { daily: stored.mail === 'daily', kinds: rows }
}

/**
 * Stores how the viewer wants to be told.
 * @param chosen the names of the boxes that were ticked: `{kind}-{channel}`, as in `reply-mail`, and `daily`
 * @throws NotAllowed
 */
export async function setPreferences(viewer: Viewer, chosen: ReadonlySet<string>): Promise<void> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const rows = listKinds().map(([kind, { always = [] }]) => ({
		kind,
		...byChannel((channel) => always.includes(channel) || chosen.has(`${kind}-${channel}`)),
	}))
	await db()
		.transaction()
		.execute((trx) => storePreferences(trx, viewer.id, { mail: chosen.has('daily') ? 'daily' : 'off', kinds: rows }))
}

function byChannel(value: (channel: Channel) => boolean): Record<Channel, boolean> {
	return Object.fromEntries(channelNames.map((channel) => [channel, value(channel)])) as Record<Channel, boolean>
}
