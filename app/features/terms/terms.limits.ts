/** Characters of a term's name, and of any other spelling; a skill has as many. */
export const MAX_TERM_NAME = 50
/** Characters of a term's tag, as of any tag. */
export const MAX_TERM_TAG = 35
/** Characters of what a term is. */
export const MAX_TERM_DESCRIPTION = 500
/** What one term may stand below, and how many other spellings it may have. */
export const MAX_PARENTS = 5
export const MAX_SPELLINGS = 60
