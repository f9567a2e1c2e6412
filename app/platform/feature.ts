import type { z } from 'zod'
import type { CachedPage } from './cache/cached-page.ts'
import type { Counter } from './db/counters.queries.server.ts'
import type { Operation } from './http/operation.ts'
import type { JobHandlers, Schedule } from './jobs/jobs.server.ts'
import type { LeavingStep, MemberData, MergeStep, RetentionRule } from './member-data.ts'
import type { Tab } from './realtime/io.server.ts'

/**
 * What a feature adds to the site besides its routes. All fields are optional.
 * A feature that others register something with adds a field by declaration merging in its folder: `declare module
 * '~/platform/feature.ts' { interface Feature { … } }`. It reads that field of all features in {@link collect}.
 */
export interface Feature {
	/** The name of the folder in `app/features/`. */
	name: string
	/** Operations of the JSON API, and schemas by their names in the description. */
	api?: { operations: readonly Operation[]; schemas: Readonly<Record<string, z.ZodType>> }
	/** Handlers of the jobs that the feature declares in {@link JobHandlers}. */
	jobs?: Partial<JobHandlers>
	/** Names of those jobs that wait for servers of others: they run beside mails, so that one that hangs holds up no other job. */
	remoteJobs?: readonly (keyof JobHandlers)[]
	/** Work that one process of the site does at regular times. */
	schedules?: readonly Schedule[]
	/** Numbers that are stored beside what they count; checked and corrected every night. */
	counters?: readonly Counter[]
	/** What its tables store about members: what goes into their archive, and what happens to it when they leave. */
	memberData?: MemberData
	/** Data about members that is stored for a limited time; the settings, the nightly job and the privacy page are made from it. */
	retention?: readonly RetentionRule[]
	/** Steps for a member who leaves that no foreign key covers, run before the account is deleted. */
	leaving?: readonly LeavingStep[]
	/** Steps for merging two accounts that no rule of {@link memberData} covers. */
	merging?: readonly MergeStep[]
	/** Called once after an account was deleted: removes what only that member had, such as counted words. */
	afterLeaving?: () => Promise<unknown>
	/** Called for each tab of a member when it connects: sends the tab what it needs, and listens to it. */
	onConnect?: (tab: Tab) => unknown
	/** Pages that visitors get from the cache. */
	cachedPages?: readonly CachedPage[]
	/** Addresses whose forms may hold a picture: they accept bodies of up to 6 MB, others 512 KB. */
	pictureForms?: readonly PictureForm[]
	/**
	 * Paths to which pages and servers of other sites may post forms, as login services do. The check of the request's origin lets those
	 * through at exactly these paths, without cookies.
	 */
	crossSiteForms?: readonly string[]
	/** Called with each request for a page before routing. @returns the request, or one for the current address of the page */
	rewriteRequest?: (request: Request) => Promise<Request>
	/** Called for each page, or its data, that was served to a reader, also from the cache; it must be cheap. */
	onRead?: (read: PageRead) => void
	/** Adds demo content to a site that has none. @param options.onProgress called with the number of steps done, and of all steps */
	seedDemo?: (options: { onProgress: (done: number, total: number) => void }) => Promise<void>
	/** Called in each process once its database and its bus are open. @returns stops what it started, if anything needs stopping */
	start?: () => Promise<(() => Promise<void>) | undefined>
	/** Called once with all features, before anything is served. */
	collect?: (features: readonly Feature[]) => void
}

export interface PageRead {
	/** Path and query. */
	url: string
	/** The User-Agent header. */
	userAgent: string | undefined
	/** Whether the browser prefetches a page that nobody has opened yet. */
	isPrefetch: boolean
}

export interface PictureForm {
	/** Matches the path. */
	path: RegExp
	/** The message for a larger body. */
	tooLarge: string
	/** Whether a script reads the error; otherwise it is plain text. */
	isScript?: boolean
}

/** Defines what a feature adds to the site. */
export function defineFeature(feature: Feature): Feature {
	return feature
}

/**
 * Merges records that several features list by name.
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
