/** Name and value of a field. */
export type FormField = [name: string, value: string]

/**
 * Sent to a form, with its {@link FormField}s as `detail`, when what was typed into it before a session ended comes back. A form
 * that takes them itself prevents the default, which is that its fields are set as by hand. Sent to the document where the page
 * does not have the form yet, so that a page which needs an answer of the server to draw it can ask for that.
 */
export const RESTORE_EVENT = 'restore-unsent'
