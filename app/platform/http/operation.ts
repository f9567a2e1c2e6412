import { z } from 'zod'
import { PICTURE_WIDTHS, PORTRAIT_WIDTHS } from '~/lib/addresses.ts'
import { DomainError } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'

/**
 * An operation of the JSON API: mounting and describing it use this alone. Features list theirs in `*.api.server.ts`;
 * `features/api` collects, mounts and describes them.
 */
export interface Operation {
	/** Its operation id in the description, as `listQueries`. */
	id: string
	/** The heading that it is listed under. */
	group: string
	method: 'get' | 'post' | 'put' | 'patch' | 'delete'
	/** Below /api/v1, with parameters in braces: `/queries/{id}`. */
	path: string
	/** One line; more goes into `description`. */
	summary: string
	description?: string
	/** `everybody` needs no login. A token needs the scope `read` for GET and `write` for everything else. */
	access: 'everybody' | 'members'
	/** A subject with scopes of its own: `messages:read` and `messages:write` in place of `read` and `write`. */
	area?: 'messages'
	/** Whether a token also needs the scope `moderate`. The policy decides who may do it, such as moderators and admins. */
	staff?: boolean
	/**
	 * Whether a session needs a recent confirmation of identity (“Confirm it is you”), 403 otherwise. Tokens need none: their member
	 * confirmed who they are to create them.
	 */
	confirmed?: boolean
	/** Whether it supports `If-Match`. */
	conditional?: boolean
	/** Whether it supports `Idempotency-Key`: a repeated request creates nothing new. */
	repeatable?: boolean
	params: Fields
	query: Fields
	/** The request body; null for none. Unknown fields are rejected. */
	body: z.ZodObject | null
	/** For a body with a picture, of up to 7.5 MB in place of 512 KB: the message for a larger one. */
	pictureTooLarge?: string
	example?: Record<string, unknown>
	/** The response; null for 204. Fields outside the schema are removed. */
	answer: z.ZodType | null
	/** A response with 201 has `location`, the address of the new resource. */
	status: 200 | 201 | 204
	location?: (answer: { id: number }) => string
	/** Expected error statuses, besides those that every operation has, or has by its parameters (404), its query or body (422). */
	refusals: readonly (403 | 404 | 409 | 412 | 422)[]
	run: (call: Call<Record<string, never>, Record<string, never>>) => Promise<unknown>
}

type Fields = Record<string, z.ZodType>
type Outputs<Shape extends Fields> = { [Name in keyof Shape]: z.output<Shape[Name]> }

/** The arguments of an operation; they have passed their schemas. */
export interface Call<Params, Query> {
	/** A member for operations that need one; {@link requireCaller} narrows the type. */
	viewer: Viewer
	params: Params
	query: Query
	/** As it was sent; the use case parses it. */
	body: Record<string, unknown>
	/** The versions in `If-Match`; null without it. */
	ifMatch: readonly number[] | null
	/** The `Idempotency-Key`; null without it. */
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

/** Defines an operation; the types of its input and response follow from their schemas. */
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
		// The list loses the types of single operations; the mount parses by the schemas that they follow from.
		run: run as Operation['run'],
	} as Operation
}

/** An edit of a text that has changed since. The response has both texts, so that nothing is lost. */
export class StaleEdit extends DomainError {
	readonly status: 409 | 412
	readonly members: { stored: object; sent: object }
	/** @param status 412 where `If-Match` failed, 409 where the body named the version */
	constructor(message: string, status: 409 | 412, members: { stored: object; sent: object }) {
		super(message)
		this.status = status
		this.members = members
	}
}

/** The caller of an operation for members; the mount admits nobody else. */
export function requireCaller({ viewer }: { viewer: Viewer }): SignedIn {
	if (!viewer) throw new Error('An operation for members was called by nobody.')
	return viewer
}

/* Fields of the API that several features have. */

/** The picture of a member. */
export const portrait = z
	.string()
	.nullable()
	.describe(
		`Their picture, without its size: it is at \`/media/{image}-{width}.webp\`, ${PORTRAIT_WIDTHS.join(', ')} pixels wide. null for none.`,
	)

/** The author of a text. */
export const author = z.object({
	username: z.string(),
	name: z.string(),
	image: portrait,
	pseudonym: z
		.object({ verified: z.boolean().describe('Whether it is a verified student.') })
		.optional()
		.describe('Only of a pseudonym, which has no profile.'),
})

/** Where a picture of a message is. */
export const messagePictureSize = `\`/media/{path}-{width}.webp\`, ${PICTURE_WIDTHS.join(', ')} pixels wide`
