/** Questions that one member may follow. */
export const MAX_FOLLOWED_QUESTIONS = 1_000
/** Questions on one page of what a member follows. */
export const FOLLOWED_PER_PAGE = 30
/** Searches that one member may save, and the characters of the name and of the search. */
export const MAX_SAVED_SEARCHES = 20
export const MAX_SEARCH_NAME = 60
export const MAX_SAVED_QUERY = 1_000
/** So long a member may take the removal of a saved search back, in seconds. */
export const SEARCH_UNDO_SECONDS = 600
/** Saved searches that are looked at in one run of the job, which comes every minute, each at most once a day. */
export const MAX_CHECKS_PER_RUN = 100
/** New results of one search are counted up to this. */
export const MAX_NEW_RESULTS = 99
