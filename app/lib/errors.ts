import { remember } from './remember.ts'

/**
 * Expected errors of use cases. Each knows its HTTP status; `server/` and the routes map them in one place. `message` is shown to
 * members, so it is a whole sentence without secrets.
 * Classes that the database throws too exist once per process, as the start and the server's bundle each load this module.
 */
export const DomainError = remember('domain-error', () => {
	abstract class DomainError extends Error {
		abstract readonly status: number
	}
	return DomainError
})
export type DomainError = InstanceType<typeof DomainError>

/** It does not exist, or the viewer may not know that it does. */
export class NotFound extends DomainError {
	readonly status = 404
}

/** There is no such thing, as far as the viewer may know: it may have been deleted. */
export class NoSuch extends NotFound {
	/** The message on a page, which itself says what may have happened. */
	readonly title: string
	/** @param what a noun, such as `query` */
	constructor(what: string) {
		const title = `There is no such ${what}.`
		super(`${title} It may have been deleted.`)
		this.title = title
	}
}

/** The viewer, member or visitor, may not do this. */
export class NotAllowed extends DomainError {
	readonly status = 403
}

/** The viewer has to confirm their identity first. Forms are redirected there and back to `back`, a path; programs get a 403. */
export class ConfirmationRequired extends NotAllowed {
	readonly back: string
	constructor(back: string) {
		super('Confirm that it is you first: log in again, or open /confirm-identity. Then try again.')
		this.back = back
	}
}

/** It changed in the meantime, or a unique value is taken. */
export class Conflict extends DomainError {
	readonly status = 409
}

/** Another moderator or admin has decided the same meanwhile. */
export class DecidedAlready extends Conflict {
	constructor() {
		super('Someone else has already decided this. Reload the page.')
	}
}

/** Invalid input; `fields` names the field of each message. */
export class Invalid extends DomainError {
	readonly status = 422
	readonly fields: Record<string, string>
	constructor(message: string, fields: Record<string, string> = {}) {
		super(message)
		this.fields = fields
	}
}

let noteWait: (seconds: number) => void = () => {}

/** Calls `note` for each new {@link TooManyRequests}, so that every response can say how long to wait. */
export function onTooManyRequests(note: (seconds: number) => void): void {
	noteWait = note
}

/** Too many attempts; `retryAfter`, in whole seconds, becomes the Retry-After header. */
export class TooManyRequests extends DomainError {
	readonly status = 429
	readonly retryAfter: number
	constructor(message: string, retryAfter: number) {
		super(message)
		this.retryAfter = Math.max(1, Math.ceil(retryAfter))
		noteWait(this.retryAfter)
	}
}

interface SiteFaultOptions {
	/** Whether the whole database is unavailable, so that retrying automatically makes sense. */
	isOutage?: boolean
	cause?: unknown
}

/**
 * SQLSTATE “serialization failure”, by which graphile-worker knows that a retry may help: after other errors the process would end when the end
 * of a job cannot be stored. It retries after five seconds at most; after “cannot connect now” it would wait up to two minutes.
 */
const RETRYABLE = '40001'

/**
 * The database or the storage does not answer in time. It is unknown whether a write arrived, so it may be retried with the same
 * key. `retryAfter` is in whole seconds.
 */
export const Unavailable = remember('unavailable', () => {
	return class Unavailable extends DomainError {
		readonly status = 503
		readonly code = RETRYABLE
		readonly retryAfter: number
		readonly isOutage: boolean
		constructor(message: string, { isOutage = false, cause }: SiteFaultOptions = {}) {
			super(message, { cause })
			this.isOutage = isOutage
			this.retryAfter = isOutage ? 5 : 10
		}
	}
})
export type Unavailable = InstanceType<typeof Unavailable>

/** Nothing can be saved, as the disk is full; reading still works. `retryAfter` is in whole seconds. */
export const DiskFull = remember('disk-full', () => {
	return class DiskFull extends DomainError {
		readonly status = 507
		readonly code = RETRYABLE
		readonly retryAfter = 60
		constructor(cause?: unknown) {
			super("The site's disk is full, so nothing can be saved right now. You can still read.", { cause })
		}
	}
})
export type DiskFull = InstanceType<typeof DiskFull>

/** The Retry-After header of an error that says when to retry; none for others. */
export function retryHeaders(error: unknown): Record<string, string> {
	const says = error instanceof TooManyRequests || error instanceof Unavailable || error instanceof DiskFull
	return says ? { 'Retry-After': String(error.retryAfter) } : {}
}

/** Whether the site itself failed, through no fault of the client. */
export function isSiteFault(error: unknown): error is Unavailable | DiskFull {
	return error instanceof Unavailable || error instanceof DiskFull
}

/** The message of an error response; '' without one. */
export function messageOf(response: unknown): string {
	const message = (response as { message?: unknown } | null)?.message
	return typeof message === 'string' ? message : ''
}
