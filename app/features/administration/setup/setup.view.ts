/* The first-run checklist: what makes a new site ready for a campus. */

/** The steps in their order. Each is in the manifest of the feature that it is about. */
export const setupKeys = [
	'name',
	'logo',
	'colour',
	'region',
	'mail',
	'registration',
	'categories',
	'terms',
	'backup',
	'second-admin',
] as const
export type SetupKey = (typeof setupKeys)[number]

/**
 * How a step stands: done; still to be done; or as it comes, which is a fine choice that an admin may keep. What cannot be left as it
 * is, such as mail that nobody gets, is never `usual`.
 */
export type SetupState = 'done' | 'open' | 'usual'

export interface SetupStatus {
	state: SetupState
	/** One or two sentences: how it stands, and what to do. */
	words: string
}

/** A step as the page shows it. */
export interface SetupStepView {
	key: SetupKey
	title: string
	/** Where it is done. */
	to: string
	/** `kept` is `usual`, and an admin decided that it stays. */
	state: SetupState | 'kept'
	words: string
}

export interface SetupView {
	steps: SetupStepView[]
	/** How many of them are done or kept. */
	done: number
	/** Whether admins have put the finished list away. */
	isHidden: boolean
}

export const ADMIN_PATH = '/admin'
