/* Terms, their limits, and the comparison of spellings. */

/** Characters of a term's name and of other spellings, as of a skill. */
export const MAX_TERM_NAME = 50
/** Characters of a term's tag, as of any tag. */
export const MAX_TERM_TAG = 35
/** Characters of a description. */
export const MAX_TERM_DESCRIPTION = 500
/** Parents and other spellings of one term. */
export const MAX_PARENTS = 5
export const MAX_SPELLINGS = 60

/** A term as everybody may see it. */
export interface Term {
	id: number
	/** The spelling for skills and technologies: `Node.js`. */
	name: string
	/** The spelling for tags: `node.js`. */
	tag: string
}

/** How well a text matches a term, best first: see `Vocabulary.match`. */
export const matchRanks = { whole: 0, begins: 1, elsewhere: 2, related: 3 } as const

/**
 * The key under which spellings are compared: lower case without blanks, dots, dashes, slashes and underscores, except a leading dot.
 * `Node.js`, `node-js` and `NODEJS` are equal; `C`, `C++` and `C#` are three; `.net` is not `net`. Must equal the database's `term_key`.
 */
export function termKey(spelling: string): string {
	const small = spelling.normalize('NFKC').toLowerCase().trim()
	const bare = small.replace(/[\s._/-]+/g, '')
	if (bare === '') return small
	return small.startsWith('.') ? `.${bare}` : bare
}

/** The tag for a name: `CI/CD` becomes ci-cd. May be too long for a tag, or ''. */
export function tagOfName(name: string): string {
	return name
		.toLowerCase()
		.replace(/[\s/]+/g, '-')
		.replace(/[^\p{L}\p{N}_+#.*-]/gu, '')
		.replace(/-{2,}/g, '-')
		.replace(/^#+/, '')
}
