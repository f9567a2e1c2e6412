import type { RawBuilder } from 'kysely'
import { remember } from '~/lib/remember.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { Feature } from '~/platform/feature.ts'
import type { Channel, Subject } from './notifications.view.ts'

/**
 * Every kind of notification. Its value names the acts that have words of their own, see {@link NotificationKind.acts}; `never` for
 * none. Features add theirs by declaration merging, beside their words: `declare module '~/features/notifications/kinds.server.ts'
 * { interface NotificationKinds { … } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface NotificationKinds {}

export type NotificationKindName = keyof NotificationKinds

/** The texts and settings of one kind, for the list, the settings, mails and pushes. */
export interface NotificationKind<Act extends string = string> {
	/** In the settings. */
	label: string
	/** Its position in the settings, smallest first. */
	order: number
	/** The text between actor and subject: “Mira **commented on** Why does …”. */
	words: string
	/** Texts that replace {@link words} for certain actions. */
	acts?: Readonly<Record<Act, string>>
	/** The actor, where no name is shown. */
	by?: string
	/** The channels that cannot be turned off. */
	always?: readonly Channel[]
	/** Whether only moderators get it: others do not see it in their settings. */
	staff?: boolean
	/** For a kind that stores no notifications. */
	source?: UnseenSource
}

/** A subject with events that its reader has not seen. */
export interface UnseenEvents {
	reader: { id: number; name: string; email: string }
	subject: Subject
	/** The subject of a mail: “2 new messages from Mira”. */
	headline: string
	/** The id of its last event; nothing up to there is mailed again. */
	upto: number
}

/**
 * Unseen events of a feature that stores no notifications: the bell does not list them, pushes and mails do. Ids of its events grow
 * with time; `unseen_progress` stores up to which id mails were made, and a migration of the feature adds its row there.
 */
export interface UnseenSource {
	/** Of its subjects. */
	subjectType: string
	/** A letter before a subject's id in the tag of a push; `n` is used by stored notifications. */
	tag: string
	/** What mails are about, in “emails about messages”. */
	noun: string
	/** The subject of a mail about two or more subjects. */
	mailSubject: (subjects: number) => string
	/** Why the reader gets such a mail, in a sentence or two. */
	mailReason: string
	/** The last id after `after`, within `limit` ids, up to which mails are due; undefined for none. */
	findLastDue: (trx: Executor, after: number, limit: number) => Promise<number | undefined>
	/**
	 * Unseen events between two ids, by reader. Its statement uses `wantsMail` and `mailedUpTo` of `digest.queries.server.ts`, so
	 * that nobody is mailed twice or against their will.
	 */
	listDue: (trx: Executor, after: number, upto: number) => Promise<UnseenEvents[]>
	/** The push for a subject; undefined when its member has seen everything in it, or must not be notified. */
	findPush: (userId: number, subjectId: number) => Promise<{ title: string; body: string; url: string } | undefined>
	/** A statement for the ids of subjects with something unread, newest first. */
	selectOpen: (userId: RawBuilder<unknown>, limit: number) => RawBuilder<unknown>
	/** An expression: how many of them the header counts as unread. @param userId a column */
	countUnread: (userId: RawBuilder<number>) => RawBuilder<number>
}

type RegisteredKinds = { [Name in NotificationKindName]?: NotificationKind<NotificationKinds[Name]> }

declare module '~/platform/feature.ts' {
	interface Feature {
		/** The feature's kinds of notifications, with texts and settings. */
		notificationKinds?: RegisteredKinds
	}
}

const registry = remember('notification-kinds', () => ({ kinds: new Map<string, NotificationKind>() }))

/** Registers the kinds of all features, replacing earlier ones. */
export function registerKinds(features: readonly Feature[]): void {
	const all = features.flatMap(({ notificationKinds = {} }) => Object.entries<NotificationKind>(notificationKinds))
	registry.kinds = new Map(all.sort(([, one], [, other]) => one.order - other.order))
}

/** Every kind by its name, in the order of the settings. @throws Error before {@link registerKinds} */
export function listKinds(): [NotificationKindName, NotificationKind][] {
	return [...known()] as [NotificationKindName, NotificationKind][]
}

/** The kinds that store no notifications, with their sources. */
export function listSources(): [NotificationKindName, UnseenSource][] {
	return listKinds().flatMap(([kind, { source }]) =>
		source ? [[kind, source] as [NotificationKindName, UnseenSource]] : [],
	)
}

/** The text of an event; a row of a removed kind still reads as a sentence. */
export function textOfEvent({ kind, act }: { kind: string; act: string }): string {
	const found = known().get(kind)
	return found?.acts?.[act] ?? found?.words ?? 'did something in'
}

/** The actor to show. Moderators act anonymously: only admins may know which one it was. @param name null when they are gone */
export function actorNameOf({ kind, name }: { kind: string; name: string | null }): string {
	return known().get(kind)?.by ?? name ?? 'Somebody'
}

function known(): ReadonlyMap<string, NotificationKind> {
	if (registry.kinds.size === 0)
		throw new Error('No kinds of notifications are registered. Import app/features/index.server.ts first.')
	return registry.kinds
}
