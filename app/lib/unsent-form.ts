/** Name and value of a field. */
export type FormField = [name: string, value: string]

/**
 * Dispatched to a form, with its {@link FormField}s as `detail`, to restore what was typed before a session ended. A form that
 * restores its fields itself prevents the default, which sets them like a user. Dispatched to the document where the page does not
 * have the form yet, so that a page which has to load it first can do so.
 */
export const RESTORE_EVENT = 'restore-unsent'
