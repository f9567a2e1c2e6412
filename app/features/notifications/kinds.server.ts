import type { RawBuilder } from 'kysely'
import { remember } from '~/lib/remember.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { Feature } from '~/platform/feature.ts'
import type { Channel, Subject } from './notifications.view.ts'

/**
 * Every kind of notification; the value is what may be said by `act` in place of the usual words, `never` for nothing. Features add
 * theirs by declaration merging, beside their words:
 * `declare module '~/features/notifications/kinds.server.ts' { interface NotificationKinds { … } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface NotificationKinds {}

export type NotificationKindName = keyof NotificationKinds

/** What the list, the settings, mails and pushes say of one kind. */
export interface NotificationKind<Act extends string = string> {
	/** In the settings. */
	label: string
	/** Its place in the settings; the smallest number comes first. */
	order: number
	/** Between who did it and what it was done to: “Mira **commented on** Why does …”. */
	words: string
	/** Other words than {@link words}, by what exactly was done. */
	acts?: Readonly<Record<Act, string>>
	/** Who did it, where that is not told by name. */
	by?: string
	/** The channels that cannot be turned off. */
	always?: readonly Channel[]
	/** Whether only moderators are told of it: others do not find it in their settings. */
	staff?: boolean
	/** For a kind of which no notification is stored. */
	source?: UnseenSource
}

/** A subject in which something waits that its reader has not seen. */
export interface Unseen {
	reader: { id: number; name: string; email: string }
	subject: Subject
	/** What waits, as the subject of a mail: “2 new messages from Mira”. */
	headline: string
	/** The id of the last thing in it; nothing up to there is mailed again. */
	upto: number
}

/**
 * How notifications ask a feature for what members have not seen, where the feature keeps that itself: the bell does not list it,
 * pushes and mails tell it. What happens in its subjects has ids that grow with time; `unseen_progress` holds up to where mails
 * were made, and a migration of the feature adds its row there.
 */
export interface UnseenSource {
	/** Of its subjects. */
	subjectType: string
	/** A letter that stands before a subject's id in the tag of a push; `n` is taken by stored notifications. */
	tag: string
	/** What mails are about, in “emails about messages”. */
	noun: string
	/** The subject of a mail about so many subjects, two or more. */
	mailSubject: (subjects: number) => string
	/** Why the reader gets such a mail, in a sentence or two. */
	mailReason: string
	/** The last id after `after` up to which a mail may be made now, within `limit` ids; undefined when there is none. */
	findLastDue: (trx: Executor, after: number, limit: number) => Promise<number | undefined>
	/**
	 * What happened between two ids and was not seen, by reader. Its statement asks `wantsMail` and `mailedUpTo` of
	 * `digest.queries.server.ts`, so that nobody is mailed twice or against their will.
	 */
	listDue: (trx: Executor, after: number, upto: number) => Promise<Unseen[]>
	/** What a push says of a subject; undefined when its member has seen everything in it, or is not to be told. */
	findPush: (userId: number, subjectId: number) => Promise<{ title: string; body: string; url: string } | undefined>
	/** A statement for the ids of subjects in which a member has something unread, the newest first. */
	selectOpen: (userId: RawBuilder<unknown>, limit: number) => RawBuilder<unknown>
}

type RegisteredKinds = { [Name in NotificationKindName]?: NotificationKind<NotificationKinds[Name]> }

declare module '~/platform/feature.ts' {
	interface Feature {
		/** What the feature tells members of, each kind with its words and its place in the settings. */
		notificationKinds?: RegisteredKinds
	}
}

const registry = remember('notification-kinds', () => ({ kinds: new Map<string, NotificationKind>() }))

/** Takes the kinds of all features, in place of those that were known before. */
export function registerKinds(features: readonly Feature[]): void {
	const all = features.flatMap(({ notificationKinds = {} }) => Object.entries<NotificationKind>(notificationKinds))
	registry.kinds = new Map(all.sort(([, one], [, other]) => one.order - other.order))
}

/** Every kind by its name, in the order of the settings. @throws Error before {@link registerKinds} */
export function listKinds(): [NotificationKindName, NotificationKind][] {
	return [...known()] as [NotificationKindName, NotificationKind][]
}

/** The kinds of which no notification is stored, each with where to ask. */
export function listSources(): [NotificationKindName, UnseenSource][] {
	return listKinds().flatMap(([kind, { source }]) =>
		source ? [[kind, source] as [NotificationKindName, UnseenSource]] : [],
	)
}

/** Event, in the words of its kind; a row of a kind that was since removed still reads as a sentence. */
export function wordsForEvent({ kind, act }: { kind: string; act: string }): string {
	const found = known().get(kind)
	return found?.acts?.[act] ?? found?.words ?? 'did something in'
}

/** Who did it. Moderators decide as such: which of them it was is for admins to know. @param name null when they are gone */
export function doerOf({ kind, name }: { kind: string; name: string | null }): string {
	return known().get(kind)?.by ?? name ?? 'Somebody'
}

function known(): ReadonlyMap<string, NotificationKind> {
	if (registry.kinds.size === 0)
		throw new Error('No kinds of notifications are registered. Import app/features/index.server.ts first.')
	return registry.kinds
}
