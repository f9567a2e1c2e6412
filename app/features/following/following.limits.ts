export const MAX_FOLLOWED_QUESTIONS = 1_000
export const FOLLOWED_PER_PAGE = 30
/** Saved searches per member, and the characters of their names and queries. */
export const MAX_SAVED_SEARCHES = 20
export const MAX_SEARCH_NAME = 60
export const MAX_SAVED_SEARCH_LENGTH = 1_000
/** Seconds within which a removal can be undone. */
export const SEARCH_UNDO_SECONDS = 600
/** Searches that one run of the job checks. The job runs every minute, and checks each search at most once a day. */
export const MAX_CHECKS_PER_RUN = 100
/** New results of a search are counted up to this number. */
export const MAX_NEW_RESULTS = 99
