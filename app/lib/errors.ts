import { remember } from './remember.ts'

/**
 * The few ways in which a use case says no. Each knows its HTTP status; `server/` and the routes map them in one place.
 * `message` is shown to the member as it is, so it is a whole sentence and carries no secret.
 *
 * What the database throws too is one class for the process: the start and the bundle of the server each load this module.
 */
export const DomainError = remember('domain-error', () => {
	abstract class DomainError extends Error {
		abstract readonly status: number
	}
	return DomainError
})
export type DomainError = InstanceType<typeof DomainError>

/** The thing does not exist, or the viewer may not know that it does. */
export class NotFound extends DomainError {
	readonly status = 404
}

/** The viewer is known, or anonymous, and may not do this. */
export class NotAllowed extends DomainError {
	readonly status = 403
}

/** The viewer has to confirm first that it is them. Forms lead there and back to `back`, a path; programs get a 403. */
export class ConfirmationRequired extends NotAllowed {
	readonly back: string
	constructor(back: string) {
		super('Confirm that it is you first: log in again, or open /confirm-identity. Then try again.')
		this.back = back
	}
}

/** The thing changed meanwhile, or a unique value is taken. @public: the next features throw it. */
export class Conflict extends DomainError {
	readonly status = 409
}

/** The input breaks a rule; `fields` names the field of each message. */
export class Invalid extends DomainError {
	readonly status = 422
	readonly fields: Record<string, string>
	constructor(message: string, fields: Record<string, string> = {}) {
		super(message)
		this.fields = fields
	}
}

let noteWait: (seconds: number) => void = () => {}

/** Has `note` told of each {@link TooMany} as it is made, so that one place can see to it that every answer says how long. */
export function onTooMany(note: (seconds: number) => void): void {
	noteWait = note
}

/** Too many attempts; `retryAfter` is in whole seconds and goes out as the Retry-After header, whoever answers. */
export class TooMany extends DomainError {
	readonly status = 429
	readonly retryAfter: number
	constructor(message: string, retryAfter: number) {
		super(message)
		this.retryAfter = Math.max(1, Math.ceil(retryAfter))
		noteWait(this.retryAfter)
	}
}

interface SiteFaultOptions {
	/** Whether the database is away as a whole, so that asking again by itself makes sense. */
	isOutage?: boolean
	cause?: unknown
}

/**
 * Something below the site does not answer in time: the database, or the storage of pictures. Whether a write arrived is not
 * known then, so it may be sent again under the same key. `retryAfter` is in whole seconds.
 */
export const Unavailable = remember('unavailable', () => {
	return class Unavailable extends DomainError {
		readonly status = 503
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

/** Nothing can be saved, as the disk below the site is full; reading goes on. `retryAfter` is in whole seconds. */
export const DiskFull = remember('disk-full', () => {
	return class DiskFull extends DomainError {
		readonly status = 507
		readonly retryAfter = 60
		constructor(cause?: unknown) {
			super("The site's disk is full, so nothing can be saved right now. You can still read.", { cause })
		}
	}
})
export type DiskFull = InstanceType<typeof DiskFull>

/** The Retry-After header of an error that says when to come back; none for others. */
export function retryHeaders(error: unknown): Record<string, string> {
	const says = error instanceof TooMany || error instanceof Unavailable || error instanceof DiskFull
	return says ? { 'Retry-After': String(error.retryAfter) } : {}
}

/** Whether the site itself could not do it, through no fault of whoever asked. */
export function isSiteFault(error: unknown): error is Unavailable | DiskFull {
	return error instanceof Unavailable || error instanceof DiskFull
}
