/* What a term is, its limits, and how spellings are compared. */

/** Characters of a term's name, and of any other spelling; a skill has as many. */
export const MAX_TERM_NAME = 50
/** Characters of a term's tag, as of any tag. */
export const MAX_TERM_TAG = 35
/** Characters of what a term is. */
export const MAX_TERM_DESCRIPTION = 500
/** What one term may stand below, and how many other spellings it may have. */
export const MAX_PARENTS = 5
export const MAX_SPELLINGS = 60

/** A term as everybody may see it. */
export interface Term {
	id: number
	/** How skills and technologies are written: `Node.js`. */
	name: string
	/** How tags are written: `node.js`. */
	tag: string
}

/** How well a text fits a term, the best first: see `Vocabulary.match`. */
export const ranks = { whole: 0, begins: 1, elsewhere: 2, related: 3 } as const

/**
 * What two spellings of one word have in common: small letters without blanks, dots, dashes, slashes and underscores, but with a
 * dot at the beginning. `Node.js`, `node-js` and `NODEJS` are one; `C`, `C++` and `C#` are three; `.net` is not `net`. The
 * database's `term_key` does the same.
 */
export function termKey(spelling: string): string {
	const small = spelling.normalize('NFKC').toLowerCase().trim()
	const bare = small.replace(/[\s._/-]+/g, '')
	if (bare === '') return small
	return small.startsWith('.') ? `.${bare}` : bare
}

/** The tag of a term that is called so: `CI/CD` is ci-cd. May be longer than a tag, or ''. */
export function tagOfName(name: string): string {
	return name
		.toLowerCase()
		.replace(/[\s/]+/g, '-')
		.replace(/[^\p{L}\p{N}_+#.*-]/gu, '')
		.replace(/-{2,}/g, '-')
		.replace(/^#+/, '')
}
