import { notifyOfDecision, tellUnread } from '~/features/notifications/notifications.server.ts'
import {
	hideProfile,
	holdProfile,
	listProfileParts,
	removeProfilePart,
	showProfile,
} from '~/features/profiles/hiding.server.ts'
import { profilePath } from '~/features/questions/questions.paths.ts'
import { Conflict, Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { dropPages, everyPage } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/parse.server.ts'
import { closeCase } from './cases.queries.server.ts'
import { addLogRow } from './log.queries.server.ts'
import { mayGovernProfile } from './moderation.policy.ts'
import { cleanInput, maybeWhyInput, whyInput } from './moderation.schema.ts'
import { lockModerator } from './staff.server.ts'
import type { CaseRow } from './targets.queries.server.ts'

export type ProfileAct = 'hide' | 'restore' | 'clean'

/** What a moderator is told afterwards. */
export const profileActsDone: Record<ProfileAct, string> = {
	hide: 'Hidden. Its owner sees your reason.',
	restore: 'Everybody can see it again.',
	clean: 'Removed. Its owner sees your reason.',
}

interface Work {
	why: string
	/** What exactly was removed, in words; '' for the whole profile. */
	label: string
	/** Of several decisions about one thing the last one is told. */
	about: string
	/** @returns whether it stood as the moderator saw it */
	run: (trx: Executor) => Promise<boolean>
}

/**
 * Hides a profile's texts and picture, shows them again, or removes one part. One transaction: the profile, its case, the record
 * of who did it and the notice to its owner.
 * @param input why; for `clean` the `part`
 * @throws NotAllowed, Invalid, Conflict when it does not stand as the moderator saw it
 */
export async function judgeProfile(
	actor: SignedIn,
	row: CaseRow,
	act: ProfileAct,
	input: Record<string, unknown>,
): Promise<void> {
	const memberId = row.author_id
	const { why, label, about, run } = await works[act](row, { why: '', ...input })
	const told = await db()
		.transaction()
		.execute(async (trx) => {
			await holdProfile(trx, memberId)
			const fresh = await lockModerator(trx, actor)
			if (row.imported || !mayGovernProfile(fresh, { id: memberId, role: row.author_role }))
				throw new NotAllowed('You cannot change this profile.')
			if (!(await run(trx)))
				throw new Conflict('Someone else has already decided this, or it has changed. Reload the page.')
			await closeCase(trx, 'profile', memberId)
			const entry = { kind: 'profile', targetId: memberId, memberId, title: row.name } as const
			await addLogRow(trx, { actorId: actor.id, act, ...entry, why, note: label })
			const notice = { memberId, why, query: null, commentId: null, title: label, about }
			return notifyOfDecision(trx, { ...notice, act: `${act} profile`, url: profilePath(row.username) })
		})
	// The picture and the name stand beside everything that the member wrote.
	await dropPages([everyPage])
	await tellUnread(told)
}

const works: Record<ProfileAct, (row: CaseRow, input: Record<string, unknown>) => Promise<Work>> = {
	async hide(row, input) {
		const { why } = parseInput(whyInput, input)
		return { why, label: '', about: 'profile', run: (trx) => hideProfile(trx, row.author_id, why) }
	},
	async restore(row, input) {
		const { why } = parseInput(maybeWhyInput, input)
		return { why, label: '', about: 'profile', run: (trx) => showProfile(trx, row.author_id) }
	},
	async clean(row, input) {
		const { why, part } = parseInput(cleanInput, input)
		const found = (await listProfileParts(row.username)).find(({ value }) => value === part)
		const message = 'This part no longer exists.'
		if (!found) throw new Invalid(message, { part: message })
		// A text's beginning would repeat in the log what was removed; a title tells which one it was.
		const label = part.includes(':') ? `${found.label} “${found.beginning}”` : found.label
		return { why, label, about: `profile:${part}`, run: (trx) => removeProfilePart(trx, row.author_id, part) }
	},
}
