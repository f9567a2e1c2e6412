import { AsyncLocalStorage } from 'node:async_hooks'
import type { Unavailable } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'

interface Scope {
	/** Whether this is long work. */
	isLong: boolean
	/** Why this work may not use the database. */
	refusal?: Unavailable
}

const scopes = remember('database-scope', () => new AsyncLocalStorage<Scope>())

/** What the current work may ask of the database; undefined for an ordinary request. */
export function databaseScope(): Scope | undefined {
	return scopes.getStore()
}

/** Runs long work, such as a job or an import: on separate connections, with time limits of half an hour. */
export function longWork<Result>(work: () => Promise<Result>): Promise<Result> {
	return scopes.run({ ...scopes.getStore(), isLong: true }, work)
}

/**
 * Runs work that may not use the database, as it is unknown for whom it is: every statement fails with this refusal. Work that
 * continues after its end is no longer restricted.
 */
export async function withoutDatabase<Result>(refusal: Unavailable, work: () => Promise<Result>): Promise<Result> {
	const scope: Scope = { isLong: false, refusal }
	try {
		return await scopes.run(scope, work)
	} finally {
		scope.refusal = undefined
	}
}
