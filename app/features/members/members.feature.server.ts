import { isUsername } from '~/lib/checks.ts'
import { db } from '~/platform/db/db.server.ts'
import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { MAX_WATCHED } from '~/platform/realtime/events.ts'
import { inBackground, type Tab } from '~/platform/realtime/io.server.ts'
import { listOnlineAmong } from '~/platform/realtime/presence.queries.server.ts'
import { presenceRoom } from '~/platform/realtime/presence.server.ts'
import { archivedBlocks, listNotBlocking, mergeBlocks } from './blocks.queries.server.ts'
import { archivedSkills, deleteUnusedSkills, mergeSkills, skillCounter, skillTerms } from './skills.queries.server.ts'
import { setSkills } from './skills.server.ts'

export const members = defineFeature({
	name: 'members',
	counters: [skillCounter],
	termSources: [skillTerms],
	onConnect: (tab) =>
		tab.on('presence:watch', (usernames: unknown, answer: unknown) => inBackground(watch(tab, usernames, answer))),
	// The counters of skills are updated by the use case, which a cascading delete would bypass.
	leaving: [
		async ({ id }) => {
			await db()
				.transaction()
				.execute((trx) => setSkills(trx, id, []))
			return false
		},
	],
	retention: [
		{
			key: 'unmaskings',
			label: 'Log of moderators who asked who writes under a pseudonym',
			hint: 'The member was notified at the time.',
			days: { default: 730, min: 90, max: 3650 },
			remove: (days, limit) => deleteOldRows({ table: 'unmaskings', since: 'at', days, limit }),
		},
	],
	afterLeaving: deleteUnusedSkills,
	merging: [mergeBlocks, mergeSkills],
	memberData: {
		blocks: {
			members: { blocker_id: 'deleted', blocked_id: 'deleted' },
			merge: { blocker_id: { unlessSame: ['blocked_id'] }, blocked_id: { unlessSame: ['blocker_id'] } },
			called: 'Blocked members',
			archive: ['username', 'blocked_at'],
			rows: archivedBlocks,
		},
		skills: 'names of skills that members have, and of how many',
		profile_skills: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['skill_id'] } },
			called: 'Skills',
			archive: ['name', 'position', 'evidence_hidden'],
			rows: archivedSkills,
		},
		unmaskings: {
			members: { pseudonym_id: 'deleted', moderator_id: 'deleted' },
			merge: {
				pseudonym_id: { stays: 'a pseudonym stays an account of its own' },
				moderator_id: { unlessSame: ['pseudonym_id'] },
			},
			archive: 'which moderators were told of which pseudonym; each member was notified',
		},
	},
})

/** Input from a tab is untrusted: anything but a list of names is ignored. */
async function watch(tab: Tab, usernames: unknown, answer: unknown): Promise<void> {
	if (!Array.isArray(usernames) || usernames.length > MAX_WATCHED || typeof answer !== 'function') return
	const names = usernames.filter(isUsername)
	for (const room of tab.rooms) if (room.startsWith('presence:')) await tab.leave(room)
	await tab.join(names.map(presenceRoom))
	// Looked up after joining the rooms, so that a block made meanwhile still removes the tab.
	const shown = await listNotBlocking(tab.data.userId, names)
	for (const name of names) if (!shown.includes(name)) await tab.leave(presenceRoom(name))
	answer(await listOnlineAmong(shown))
}
