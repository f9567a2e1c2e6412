/** Days within which a leaving member may come back. */
export const DAYS_TO_COME_BACK = 14
/** Days that an archive is kept. */
export const ARCHIVE_DAYS = 7

export const LEAVE_PATH = '/settings/leave'
export const DATA_PATH = '/settings/data'
