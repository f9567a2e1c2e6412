/** Questions that one member may follow. */
export const MAX_FOLLOWED_QUESTIONS = 1_000
/** Questions on one page of what a member follows. */
export const FOLLOWED_PER_PAGE = 30
