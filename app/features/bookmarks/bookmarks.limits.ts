/** Bookmarks of one member, not counting those removed within the last ten minutes. */
export const MAX_BOOKMARKS = 2_000
/** Characters of a note. */
export const MAX_BOOKMARK_NOTE = 500
/** Characters of a search in bookmarks, and how many of its words count. */
export const MAX_BOOKMARK_SEARCH = 200
export const MAX_BOOKMARK_WORDS = 10
/** Seconds within which a removal can be undone. */
export const BOOKMARK_UNDO_SECONDS = 600
/** Bookmarks on one page of the list. */
export const BOOKMARKS_PER_PAGE = 30
