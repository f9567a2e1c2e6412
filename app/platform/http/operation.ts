import type { z } from 'zod'
import { DomainError } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'

/**
 * One thing that the JSON API can do: what mounts it and what describes it are made of this alone.
 * Features list theirs in `api/*.server.ts`; `features/api` collects, mounts and describes them.
 */
export interface Operation {
	/** Its name in the description, as in `listQueries`. */
	id: string
	/** The heading that it stands under. */
	group: string
	method: 'get' | 'post' | 'put' | 'patch' | 'delete'
	/** Below /api/v1, with its parameters in braces: `/queries/{id}`. */
	path: string
	/** One line, and if needed a few more in `description`. */
	summary: string
	description?: string
	/** `everybody` needs no login. A token needs the scope `read` for GET and `write` for everything else. */
	access: 'everybody' | 'members'
	/** What it is about, where that has scopes of its own: `messages:read` and `messages:write` in place of those. */
	area?: 'messages'
	/** Whether a token needs the scope `moderate` as well. Moderators and admins, and who may more than that, is the policy's. */
	staff?: boolean
	/**
	 * Whether a session has to be confirmed for it (“Confirm it is you”), 403 otherwise. A token stands for itself: its member confirmed
	 * who they are to create it.
	 */
	confirmed?: boolean
	/** Whether it heeds `If-Match`. */
	conditional?: boolean
	/** Whether it heeds `Idempotency-Key`: sent again with the same one it makes nothing new. */
	repeatable?: boolean
	params: Fields
	query: Fields
	/** What is sent; null for nothing. An unknown field is refused. */
	body: z.ZodObject | null
	/** For a body with a picture, of up to 7.5 MB in place of 512 KB: what is said of a larger one. */
	pictureTooLarge?: string
	example?: Record<string, unknown>
	/** What comes back; null for 204. What the schema does not name is left out of the answer. */
	answer: z.ZodType | null
	/** 201 has an address, under which the new thing is found: `location`. */
	status: 200 | 201 | 204
	location?: (answer: { id: number }) => string
	/** Which refusals are to be expected beside those that every operation knows. */
	refusals: readonly (403 | 404 | 409 | 412 | 422)[]
	run: (call: Call<Record<string, never>, Record<string, never>>) => Promise<unknown>
}

type Fields = Record<string, z.ZodType>
type Outputs<Shape extends Fields> = { [Name in keyof Shape]: z.output<Shape[Name]> }

/** What an operation is called with; the inputs have passed their schemas. */
export interface Call<Params, Query> {
	/** A member where the operation is for members: {@link member} says so to the compiler. */
	viewer: Viewer
	params: Params
	query: Query
	/** As it was sent. The use case reads it by its own schema. */
	body: Record<string, unknown>
	/** The versions that `If-Match` names; null where it asks for none. */
	ifMatch: readonly number[] | null
	/** What `Idempotency-Key` says; null without it. */
	key: string | null
}

type Given<Params extends Fields, Query extends Fields, Answer extends z.ZodType | null> = Omit<
	Operation,
	'params' | 'query' | 'answer' | 'body' | 'run' | 'status' | 'refusals'
> & {
	params?: Params
	query?: Query
	body?: z.ZodObject
	answer: Answer
	status?: Operation['status']
	refusals?: Operation['refusals']
	run: (call: Call<Outputs<Params>, Outputs<Query>>) => Promise<Answer extends z.ZodType ? z.input<Answer> : void>
}

/** Writes down an operation; the types of its inputs and of its answer follow from their schemas. */
export function operation<
	Params extends Fields = Record<never, z.ZodType>,
	Query extends Fields = Record<never, z.ZodType>,
	Answer extends z.ZodType | null = null,
>(given: Given<Params, Query, Answer>): Operation {
	const status = given.answer === null ? 204 : 200
	const { run, ...rest } = given
	return {
		params: {},
		query: {},
		body: null,
		status,
		refusals: [],
		...rest,
		// The table forgets the types of single operations; the mount has parsed by the very schemas that they follow from.
		run: run as Operation['run'],
	} as Operation
}

/** An edit that was made from a text which is no longer the stored one. Both texts go out with it, so that nothing is lost. */
export class StaleEdit extends DomainError {
	readonly status: 409 | 412
	readonly members: { stored: object; sent: object }
	/** @param status 412 where `If-Match` was broken, 409 where the body named the version */
	constructor(message: string, status: 409 | 412, members: { stored: object; sent: object }) {
		super(message)
		this.status = status
		this.members = members
	}
}

/** The caller of an operation for members. The mount lets nobody else in. */
export function member({ viewer }: { viewer: Viewer }): SignedIn {
	if (!viewer) throw new Error('An operation for members was called by nobody.')
	return viewer
}
