/** Bookmarks of one member; what they removed in the last ten minutes is not counted. */
export const MAX_BOOKMARKS = 2_000
/** Characters of a note. */
export const MAX_BOOKMARK_NOTE = 500
/** Characters of a search in one's bookmarks, and the words of it that count. */
export const MAX_BOOKMARK_SEARCH = 200
export const MAX_BOOKMARK_WORDS = 10
/** So long a member may take the removal of a bookmark back, in seconds. */
export const BOOKMARK_UNDO_SECONDS = 600
/** Bookmarks on one page of the list. */
export const BOOKMARKS_PER_PAGE = 30
