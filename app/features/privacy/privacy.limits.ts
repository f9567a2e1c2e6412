/** Days in which somebody who leaves may come back. */
export const DAYS_TO_COME_BACK = 14
/** Days for which an archive can be fetched. */
export const ARCHIVE_DAYS = 7

export const LEAVE_PATH = '/settings/leave'
export const DATA_PATH = '/settings/data'
