import type { z } from 'zod'
import type { CachedPage } from './cache/cached-page.ts'
import type { Counter } from './db/counters.queries.server.ts'
import type { Operation } from './http/operation.ts'
import type { JobHandlers, Schedule } from './jobs/jobs.server.ts'
import type { LeavingStep, MemberData, MergeStep, RetentionRule } from './member-data.ts'
import type { Tab } from './realtime/io.server.ts'

/**
 * What a feature adds to the site besides its routes. Every field is optional.
 *
 * A feature that others register something with adds a field of its own, by declaration merging in its folder:
 * `declare module '~/platform/feature.ts' { interface Feature { … } }`. It reads that field of all features in {@link collect}.
 */
export interface Feature {
	/** The name of its folder in `app/features/`. */
	name: string
	/** Its part of the JSON API, and the schemas by the names that the description gives them. */
	api?: { operations: readonly Operation[]; schemas: Readonly<Record<string, z.ZodType>> }
	/** Who does the jobs that the feature declares in {@link JobHandlers}. */
	jobs?: Partial<JobHandlers>
	/** Work that one process of the site does at regular times. */
	schedules?: readonly Schedule[]
	/** Numbers that are stored beside what they count: compared with it every night, and corrected. */
	counters?: readonly Counter[]
	/** What its tables hold of members: what goes into their archive, and what becomes of it when they leave. */
	memberData?: MemberData
	/** What it stores of members for a time: settings, the nightly job and the privacy page are made of it. */
	retention?: readonly RetentionRule[]
	/** What is done about a member who leaves and no foreign key does, before the account is deleted. */
	leaving?: readonly LeavingStep[]
	/** What is done about two accounts that become one and no rule of {@link memberData} says. */
	merging?: readonly MergeStep[]
	/** Called once after an account was deleted: forgets what only that member had, such as words that were counted. */
	afterLeaving?: () => Promise<unknown>
	/** Called for each tab of a member as it connects: says what the tab has to know, and listens to what it says. */
	onConnect?: (tab: Tab) => unknown
	/** Pages that visitors are answered from the cache with. */
	cachedPages?: readonly CachedPage[]
	/** Forms that may hold a picture: bodies of up to 6 MB are read at their addresses, of 512 KB at others. */
	pictureForms?: readonly PictureForm[]
	/**
	 * Paths to which a page of another site has browsers send a form, as a login service does. The guard of writes lets those through at exactly
	 * these, without cookies.
	 */
	crossSiteForms?: readonly string[]
	/** Called with each request for a page before it is routed. @returns it, or one like it at the address that it means */
	rewriteRequest?: (request: Request) => Promise<Request>
	/** Called with each page, or its data, that a reader was answered with, from the cache too; it must cost next to nothing. */
	onRead?: (read: Read) => void
	/** Adds demo content to a site that has none. @param options.onProgress is told how many steps of how many are done */
	seedDemo?: (options: { onProgress: (done: number, total: number) => void }) => Promise<void>
	/** Called in each process once its database and its bus are open. @returns what stops it, if anything has to */
	start?: () => Promise<(() => Promise<void>) | undefined>
	/** Called once with all features, before anything is served. */
	collect?: (features: readonly Feature[]) => void
}

export interface Read {
	/** Path and query. */
	url: string
	/** What the reader's program calls itself. */
	userAgent: string | undefined
	/** Whether the browser asked ahead, for a page that nobody opened yet. */
	isAhead: boolean
}

export interface PictureForm {
	/** Matches the path. */
	path: RegExp
	/** What is said of a larger body. */
	tooLarge: string
	/** Whether a script reads the refusal; otherwise it is plain text. */
	isScript?: boolean
}

/** Writes down what a feature adds to the site. */
export function defineFeature(feature: Feature): Feature {
	return feature
}

/**
 * One record of what several features list by name.
 * @throws Error when two features use the same name
 */
export function mergeByName<Value>(records: readonly Readonly<Record<string, Value>>[]): Record<string, Value> {
	const merged: Record<string, Value> = {}
	for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
		if (Object.hasOwn(merged, name)) throw new Error(`Two features use the name “${name}”.`)
		merged[name] = value
	}
	return merged
}
