import type { z } from 'zod'
import type { DecisionNotification } from '~/features/notifications/notifications.server.ts'
import type { Subject } from '~/features/notifications/notifications.view.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type CaseRow, findCaseRow } from './cases.queries.server.ts'
import type { Decision } from './decisions.view.ts'
import { findMemberId, listAuthorRows, type SubjectAuthorRow } from './members.queries.server.ts'
import {
	type ActField,
	MEMBER_SUBJECT,
	type SubjectAct,
	type SubjectPart,
	type SubjectState,
} from './moderation.policy.ts'

/*
 * What moderation decides about. It knows no other feature: a feature describes its subjects as a `SubjectType` in its
 * `*.subjects.server.ts` and names them in its manifest.
 */

/** A subject with what moderators need to know to decide about it. */
export interface ModeratedSubject extends Subject {
	/** Sanitized HTML of its text; '' where it has none. */
	html: string
	/** SHA-256 of its text in hex, so that nobody approves what they did not read; '' where it has none. */
	fingerprint: string
	/** ISO 8601 in UTC. */
	createdAt: string
	/** The account that others see as its author; of a member their own id. */
	authorId: number
	state: SubjectState
	/** Why it is not visible, in the moderator's words; '' where nobody gave a reason. */
	reason: string
	/** Whether nobody can comment on it. */
	locked: boolean
	/** Whether members can see it, and so report it. */
	reportable: boolean
	/** What can be done to it in this state, in the order of the buttons. */
	acts: readonly SubjectAct[]
}

/** What an act is carried out with. The subject is as it was loaded: `perform` locks it and checks that it still stands so. */
export interface ActCall<Loaded extends ModeratedSubject> {
	subject: Loaded
	author: SubjectAuthorRow
	actor: SignedIn
	/** Why, in the moderator's words; '' where no reason is needed. */
	why: string
	/** The act's own field, as its `input` schema read it. */
	input: Record<string, unknown>
	/** The part that was chosen, as it stands; null for an act that takes none. */
	part: SubjectPart | null
}

/** What an act did, and what is still to be done about it. */
export interface Performed {
	/** More about the act for the log: into what, which part. */
	note?: string
	/** What its author is told, besides the act and the reason. */
	notification: Pick<DecisionNotification, 'subject' | 'part' | 'group'>
	/**
	 * Stores what else follows from the act, as the last step of the transaction.
	 * @param besides whose notifications are locked along with the others, as they are notified of the decision
	 * @returns whose notifications changed
	 */
	record?: (besides: number | undefined) => Promise<number[]>
	/** Tells caches and open tabs; called after the commit. */
	announce: () => Promise<void>
}

/** One thing that can be done to subjects of a type. */
export interface ActOn<Loaded extends ModeratedSubject = ModeratedSubject> {
	/** What the moderator reads afterwards. */
	done: string
	/** The decision that the author is notified of, as notifications name it. */
	decision: Decision
	/** Reads the act's own field. */
	input?: z.ZodObject
	/** The field of its own on the subject's page, for an act that needs more than a reason. */
	field?: ActField
	/** Whether open reports stay open: the act changes nothing of what was reported. */
	leavesReports?: boolean
	/**
	 * Locks the subject and changes it, in the caller's transaction, before the moderator's row and the case are locked.
	 * @throws Conflict when it does not stand any more as it was loaded; Invalid
	 */
	perform(trx: Executor, call: ActCall<Loaded>): Promise<Performed>
}

/** A kind of subject, as its feature describes it. */
export interface SubjectType<Loaded extends ModeratedSubject = ModeratedSubject> {
	/** As the database, the API and addresses name it; one of a member is called {@link MEMBER_SUBJECT}. */
	name: string
	/** What it is, in one word: “Query”. */
	label: string
	/** What stands before its title in a heading: “Comment on ”. */
	prefix: string
	/** Subjects by id, whatever became of them; those that never existed are left out. One statement. */
	load(ids: number[]): Promise<Loaded[]>
	/** Names it within a sentence: “the profile of Mira”. */
	describe(subject: Loaded, author: SubjectAuthorRow): string
	/** What can be removed from it by itself; read only for a subject that is looked at alone. */
	listParts?(author: SubjectAuthorRow): Promise<SubjectPart[]>
	acts: Partial<Record<SubjectAct, ActOn<Loaded>>>
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** What members can report and moderators decide about. */
		subjects?: readonly SubjectType[]
	}
}

const types = remember('moderated subjects', () => new Map<string, SubjectType>())

/** Makes these types known to moderation. To be called once at start, before anything is reported or decided. */
export function registerSubjects(list: readonly SubjectType[]): void {
	for (const type of list) types.set(type.name, type)
}

function registered(): ReadonlyMap<string, SubjectType> {
	if (types.size === 0) throw new Error('No subjects are registered. Import app/features/index.server.ts first.')
	return types
}

/** The names of all registered types, in the order of their registration. */
export function subjectTypeNames(): string[] {
	return [...registered().keys()]
}

/** What addresses call a subject: its type, and its id or a member's username. */
export interface SubjectName {
	kind: string
	name: string
}

/** A subject with its author and its case. */
export interface FoundSubject {
	type: SubjectType
	subject: ModeratedSubject
	author: SubjectAuthorRow
	entry: CaseRow
}

/** A subject by its name, whatever became of it; undefined when there never was one. */
export async function findSubject({ kind, name }: SubjectName): Promise<FoundSubject | undefined> {
	const type = registered().get(kind)
	const id = type && (await idOf(kind, name))
	if (!type || !id) return undefined
	const entry = await findCaseRow(kind, id)
	return (await withSubjects([entry]))[0]
}

/** The subjects of these cases, in their order. A case without a subject is left out. One statement for each type, one for the authors. */
export async function withSubjects(entries: readonly CaseRow[]): Promise<FoundSubject[]> {
	const loaded = await Promise.all(
		[...registered().values()].map(async (type) => {
			const ids = entries.filter(({ kind }) => kind === type.name).map(({ target_id }) => target_id)
			return ids.length === 0 ? [] : (await type.load(ids)).map((subject) => ({ type, subject }))
		}),
	)
	const subjects = new Map(loaded.flat().map((one) => [`${one.type.name}:${one.subject.id}`, one]))
	const authors = new Map(
		(await listAuthorRows([...subjects.values()].map(({ subject }) => subject.authorId))).map((row) => [row.id, row]),
	)
	return entries.flatMap((entry) => {
		const found = subjects.get(`${entry.kind}:${entry.target_id}`)
		const author = found && authors.get(found.subject.authorId)
		return found && author ? [{ ...found, author, entry }] : []
	})
}

/** The member who wrote a subject, also where its author is a pseudonym: who has rights and is told, and whom moderators do not see. */
export function memberOf(author: Pick<SubjectAuthorRow, 'id' | 'pseudonym_of'>): number {
	return author.pseudonym_of ?? author.id
}

/** A subject does not stand any more as the moderator saw it. */
export function changedMeanwhile(): Conflict {
	return new Conflict('Someone else has already decided this, or it has changed. Reload the page.')
}

async function idOf(kind: string, name: string): Promise<number | undefined> {
	if (kind === MEMBER_SUBJECT) return findMemberId(name.replaceAll('\u0000', '').toLowerCase())
	const id = /^[1-9]\d{0,9}$/.test(name) ? Number(name) : 0
	return isId(id) ? id : undefined
}
