import { memberAdminPath } from '~/features/administration/members/members.view.ts'
import { withParams } from '~/lib/addresses.ts'

/* Two accounts of the same person, of which one is kept. */

/** Where an account is merged into another one. @param into username of the account that is kept; left out where it is asked for */
export function mergePath(username: string, into?: string): string {
	return withParams(`${memberAdminPath(username)}/merge`, { into })
}

export interface MergePerson {
	username: string
	name: string
	image: string | null
}

/** Some rows, in the words of the page. */
export interface Amount {
	label: string
	count: number
}

/** What a merge would do. */
export interface MergePreview {
	kept: MergePerson
	/** What becomes the kept account's. */
	moves: Amount[]
	/** What both have, of which the kept account's stays alone. */
	same: Amount[]
	/** What ends with the account, and why. */
	ends: (Amount & { why: string })[]
	/** What else is to be known, in sentences. */
	facts: string[]
}

export interface MergePage {
	gone: MergePerson
	/** What was typed as the account that is kept. */
	typed: string
	/** Null before one is named, and where the two cannot be merged. */
	preview: MergePreview | null
	/** Why what was typed will not do; '' where it does. */
	refusal: string
}
