/**
 * The few ways in which a use case says no. Each knows its HTTP status; `server/` and the routes map them in one place.
 * `message` is shown to the member as it is, so it is a whole sentence and carries no secret.
 */
export abstract class DomainError extends Error {
	abstract readonly status: number
}

/** The thing does not exist, or the viewer may not know that it does. */
export class NotFound extends DomainError {
	readonly status = 404
}

/** The viewer is known, or anonymous, and may not do this. */
export class NotAllowed extends DomainError {
	readonly status = 403
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
