import { memberAdminPath } from '~/features/administration/members/members.view.ts'
import { withParams } from '~/lib/addresses.ts'

/* Merging two accounts of one person. One of them is kept. */

/** The page that merges an account into another. @param into username of the kept account; omitted where the page has to ask */
export function mergePath(username: string, into?: string): string {
	return withParams(`${memberAdminPath(username)}/merge`, { into })
}

export interface MergePerson {
	username: string
	name: string
	image: string | null
}

/** A number of rows, with the name that the page gives them. */
export interface MergeCount {
	label: string
	count: number
}

/** The effects of a merge. */
export interface MergePreview {
	kept: MergePerson
	/** Rows that move to the kept account. */
	moves: MergeCount[]
	/** Rows that both accounts have; only those of the kept account remain. */
	same: MergeCount[]
	/** Rows that are deleted with the account, with the reason. */
	ends: (MergeCount & { why: string })[]
	/** Further effects, one sentence each. */
	facts: string[]
}

export interface MergePage {
	gone: MergePerson
	/** The username or address that was typed for the kept account. */
	typed: string
	/** Null before an account is named, and if the two cannot be merged. */
	preview: MergePreview | null
	/** Why the typed account cannot be used; '' if it can. */
	refusal: string
}
