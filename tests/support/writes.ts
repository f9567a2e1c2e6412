import type { SignedIn } from '~/lib/viewer.ts'

/* What a table of everything that can be written is made of: by whom, to what, and who may. */

export const people = ['anonymous', 'suspended', 'member', 'author', 'moderator', 'admin'] as const
export type Who = (typeof people)[number]
export type Cast = Record<Exclude<Who, 'anonymous'> | 'victim', SignedIn>

/** A question of the author with a comment of theirs. */
export interface Target {
	query: number
	url: string
	comment: number
}

export interface Write {
	name: string
	/** Who may: members all, all but who wrote it, the owner of the text and those who keep order, those alone, admins, or who wrote it alone. */
	for: 'members' | 'others' | 'owner' | 'staff' | 'admin' | 'author'
	/** That members who may not are told that there is no such thing. */
	refusal?: '404'
	/** Whether a suspended member may as well: it is nothing that others see, or it ends something. */
	quiet?: true
	/** Whether the owner may while they are suspended: it deletes what is their own. */
	deletes?: true
	/** null where no form does it. */
	form: ((target: Target) => [path: string, fields: Record<string, string>]) | null
	/** That the form refuses a visitor in its place: to be led to the login page would lose what was typed. */
	visitor?: '403'
	api: (target: Target) => [method: string, path: string, body?: object]
	/** Makes it a thing that can be done to a fresh target. @param who nobody, for a visitor */
	prepare?: (cast: Cast, target: Target, who: SignedIn | undefined) => Promise<unknown>
}
