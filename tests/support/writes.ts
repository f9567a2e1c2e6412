import type { SignedIn } from '~/lib/viewer.ts'

/* The table of all writes: by whom, to what, and who may. */

export const people = ['anonymous', 'suspended', 'member', 'author', 'moderator', 'admin'] as const
export type Who = (typeof people)[number]
export type Cast = Record<Exclude<Who, 'anonymous'> | 'victim', SignedIn>

/** A question by the author with a comment by the author. */
export interface Target {
	query: number
	url: string
	comment: number
}

export interface Write {
	name: string
	/** Who may: members; all but the author; the author and staff; staff; admins; the author. */
	for: 'members' | 'others' | 'owner' | 'staff' | 'admin' | 'author'
	/** Members without permission get a 404. */
	refusal?: '404'
	/** Suspended members may too: nobody else sees it, or it ends something. */
	quiet?: true
	/** The owner may while suspended: it deletes their own content. */
	deletes?: true
	/** null if there is no form. */
	form: ((target: Target) => [path: string, fields: Record<string, string>]) | null
	/** The form returns 403 to a visitor instead of redirecting to the login, which would lose the input. */
	visitor?: '403'
	api: (target: Target) => [method: string, path: string, body?: object]
	/** Prepares a fresh target. @param who undefined for a visitor */
	prepare?: (cast: Cast, target: Target, who: SignedIn | undefined) => Promise<unknown>
}
