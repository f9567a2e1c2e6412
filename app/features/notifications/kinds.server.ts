import { remember } from '~/lib/remember.ts'
import type { Feature } from '~/platform/feature.ts'
import type { Channel } from './notifications.view.ts'

/**
 * Every kind of notification; the value is what may be said by `act` in place of the usual words, `never` for nothing. Features add
 * theirs by declaration merging, beside their words:
 * `declare module '~/features/notifications/kinds.server.ts' { interface NotificationKinds { … } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface NotificationKinds {}

export type NoticeKind = keyof NotificationKinds

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
}

type RegisteredKinds = { [Name in NoticeKind]?: NotificationKind<NotificationKinds[Name]> }

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
export function listKinds(): [NoticeKind, NotificationKind][] {
	return [...known()] as [NoticeKind, NotificationKind][]
}

/** Event, in the words of its kind; a row of a kind that was since removed still reads as a sentence. */
export function wordsOf({ kind, act }: { kind: string; act: string }): string {
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
