import type { z } from 'zod'
import { currentUsername } from '~/features/identity/usernames/former-names.server.ts'
import { findUserId } from '~/features/members/members.queries.server.ts'
import type { DecisionNotification } from '~/features/notifications/notifications.server.ts'
import type { Subject } from '~/features/notifications/notifications.view.ts'
import { isId } from '~/lib/checks.ts'
import { storable } from '~/lib/clean.ts'
import { Conflict } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type CaseRow, findCaseRow } from './cases.queries.server.ts'
import type { Decision } from './decisions.view.ts'
import { listAuthorRows, type SubjectAuthorRow } from './members.queries.server.ts'
import {
	type ActField,
	MEMBER_SUBJECT,
	type SubjectAct,
	type SubjectPart,
	type SubjectState,
} from './moderation.policy.ts'

/*
 * Subjects of moderation, which depends on no other feature: a feature describes its subjects as a `SubjectType` in its
 * `*.subjects.server.ts`, and lists them in its manifest.
 */

/** A subject with the data that moderators need for a decision. */
export interface ModeratedSubject extends Subject {
	/** Sanitized HTML of its text; '' without a text. */
	html: string
	/** SHA-256 of its text in hex, so that nobody approves a text that they did not read; '' without a text. */
	fingerprint: string
	/** ISO 8601 in UTC. */
	createdAt: string
	/** The account that others see as its author; for a member as subject, their own id. */
	authorId: number
	state: SubjectState
	/** Why it is not visible, in the moderator's words; '' if none were given. */
	reason: string
	/** Whether nobody can comment on it. */
	locked: boolean
	/** Whether members can see it, and so report it. */
	reportable: boolean
	/** The actions that are possible in this state, in the order of the buttons. */
	acts: readonly SubjectAct[]
}

/** The input of an action. The subject is as it was loaded: `perform` locks it and checks that it is unchanged. */
export interface ActInput<Loaded extends ModeratedSubject> {
	subject: Loaded
	author: SubjectAuthorRow
	actor: SignedIn
	/** The reason in the moderator's words; '' if none is needed. */
	why: string
	/** The action's own field, parsed by its `input` schema. */
	input: Record<string, unknown>
	/** The chosen part, in its present state; null for an action without one. */
	part: SubjectPart | null
}

/** The result of an action, and its remaining effects. */
export interface ActResult {
	/** Details for the log: the target of a move or merge, the removed part. */
	note?: string
	/** The notice for the moderator, where it is not the usual one of the action. */
	done?: string
	/** As in {@link ActHandler}, where it depends on the subject. */
	leavesReports?: boolean
	/** The notification for the author, without the action and the reason. */
	notification: Pick<DecisionNotification, 'subject' | 'part' | 'group'>
	/**
	 * Stores further effects of the action, as the last step of the transaction.
	 * @param alsoLocked the member whose notifications are locked as well, as they are notified of the decision
	 * @returns the members whose notifications changed
	 */
	record?: (alsoLocked: number | undefined) => Promise<number[]>
	/** Invalidates caches and notifies open tabs; called after the commit. */
	announce: () => Promise<void>
}

/** An action on subjects of a type. */
export interface ActHandler<Loaded extends ModeratedSubject = ModeratedSubject> {
	/** The notice for the moderator afterwards. */
	done: string
	/** The decision as notifications to the author name it. */
	decision: Decision
	/** Parses the action's own field. */
	input?: z.ZodObject
	/** The action's own field on the subject's page, if it needs more than a reason. */
	field?: ActField
	/** Whether open reports stay open, as the action changes nothing that was reported. */
	leavesReports?: boolean
	/**
	 * Locks and changes the subject, in the caller's transaction, before the moderator's row and the case are locked.
	 * @throws Conflict when it has changed since it was loaded; Invalid
	 */
	perform(trx: Executor, call: ActInput<Loaded>): Promise<ActResult>
}

/** A type of subjects, described by its feature. */
export interface SubjectType<Loaded extends ModeratedSubject = ModeratedSubject> {
	/** Its name in the database, the API and addresses; the type of members is {@link MEMBER_SUBJECT}. */
	name: string
	/** Its label, in one word: “Query”. */
	label: string
	/** The text before its title in a heading: “Comment on ”. */
	prefix: string
	/** Subjects by id, in any state; ids that never existed are left out. One statement. */
	load(ids: number[]): Promise<Loaded[]>
	/** Names it within a sentence: “the profile of Mira”. */
	describe(subject: Loaded, author: SubjectAuthorRow): string
	/** The parts that can be removed separately; only read for the page of a single subject. */
	listParts?(author: SubjectAuthorRow): Promise<SubjectPart[]>
	acts: Partial<Record<SubjectAct, ActHandler<Loaded>>>
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Types of subjects that members can report and moderators decide about. */
		subjects?: readonly SubjectType[]
	}
}

const types = remember('moderated subjects', () => new Map<string, SubjectType>())

/** Registers these types. Call it once at the start, before anything is reported or decided. */
export function registerSubjects(list: readonly SubjectType[]): void {
	for (const type of list) types.set(type.name, type)
}

function registered(): ReadonlyMap<string, SubjectType> {
	if (types.size === 0) throw new Error('No subjects are registered. Import app/features/index.server.ts first.')
	return types
}

/** The names of all types, in the order of their registration. */
export function subjectTypeNames(): string[] {
	return [...registered().keys()]
}

/** The name of a subject in addresses: its type, and its id or a member's username. */
export interface SubjectName {
	kind: string
	name: string
}

/** A subject with its author and its case. */
export interface SubjectWithCase {
	type: SubjectType
	subject: ModeratedSubject
	author: SubjectAuthorRow
	entry: CaseRow
}

/** A subject by its name, in any state; undefined if there never was one. */
export async function findSubject({ kind, name }: SubjectName): Promise<SubjectWithCase | undefined> {
	const type = registered().get(kind)
	const id = type && (await idOf(kind, name))
	if (!type || !id) return undefined
	const entry = await findCaseRow(kind, id)
	return (await withSubjects([entry]))[0]
}

/** The subjects of these cases, in their order. A case without a subject is left out. One statement for each type, one for the authors. */
export async function withSubjects(entries: readonly CaseRow[]): Promise<SubjectWithCase[]> {
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

/**
 * The member who wrote a subject, even under a pseudonym: permissions and notifications apply to them, but moderators
 * do not see who it is.
 */
export function memberIdOf(author: Pick<SubjectAuthorRow, 'id' | 'pseudonym_of'>): number {
	return author.pseudonym_of ?? author.id
}

/** The subject has changed since the moderator saw it. */
export function caseChangedError(): Conflict {
	return new Conflict('Someone else has already decided this, or it has changed. Reload the page.')
}

async function idOf(kind: string, name: string): Promise<number | undefined> {
	if (kind === MEMBER_SUBJECT) return findUserId(await currentUsername(storable(name).toLowerCase()))
	const id = /^[1-9]\d{0,9}$/.test(name) ? Number(name) : 0
	return isId(id) ? id : undefined
}
