import { AsyncLocalStorage } from 'node:async_hooks'
import type { Unavailable } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'

interface Scope {
	/** Whether this is work that may take long. */
	isLong: boolean
	/** Why this work gets no database. */
	refusal?: Unavailable
}

const scopes = remember('database-scope', () => new AsyncLocalStorage<Scope>())

/** What the present work may ask of the database; undefined for a request like any other. */
export function databaseScope(): Scope | undefined {
	return scopes.getStore()
}

/** Runs work that may take long, such as a job or an import: on connections of its own, with limits of half an hour. */
export function longWork<Result>(work: () => Promise<Result>): Promise<Result> {
	return scopes.run({ ...scopes.getStore(), isLong: true }, work)
}

/**
 * Runs work that gets no database, as it is not known for whom it is: whatever it asks fails with this refusal. What it leaves
 * running after its end is free again.
 */
export async function withoutDatabase<Result>(refusal: Unavailable, work: () => Promise<Result>): Promise<Result> {
	const scope: Scope = { isLong: false, refusal }
	try {
		return await scopes.run(scope, work)
	} finally {
		scope.refusal = undefined
	}
}
