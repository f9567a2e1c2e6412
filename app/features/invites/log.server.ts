import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { INVITATION_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'

interface LoggedAct {
	act: string
	/** The list, or 0 for a link. */
	listId?: number
	title: string
	note?: string
}

/** Logs what somebody did with invitations, in its transaction. */
export async function logInvitation(trx: Executor, actor: SignedIn, { listId = 0, ...act }: LoggedAct): Promise<void> {
	await addLogRow(trx, { actorId: actor.id, kind: INVITATION_SUBJECT, targetId: listId, memberId: actor.id, ...act })
}
