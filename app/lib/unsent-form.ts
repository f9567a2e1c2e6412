/** Name and value of a field. */
export type FormField = [name: string, value: string]

/**
 * Sent to a form, with its {@link FormField}s as `detail`, when what was typed into it before a session ended comes back. A form
 * that takes them itself prevents the default, which is that its fields are set as by hand.
 */
export const RESTORE_EVENT = 'restore-unsent'
