/* The setup checklist of a new site. */

/** The steps in order. Each is declared in the manifest of its feature. */
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
 * The state of a step: done; open; or `usual`, a default that an admin may keep. A missing requirement, such as undeliverable mail, is
 * never `usual`.
 */
export type SetupState = 'done' | 'open' | 'usual'

export interface SetupStatus {
	state: SetupState
	/** One or two sentences: the state, and what to do. */
	words: string
}

/** A step as the page shows it. */
export interface SetupStepView {
	key: SetupKey
	title: string
	/** The page where it is done. */
	to: string
	/** `kept` is `usual` and confirmed by an admin. */
	state: SetupState | 'kept'
	words: string
}

export interface SetupView {
	steps: SetupStepView[]
	/** The number of steps that are done or kept. */
	done: number
	/** Whether admins have hidden the complete list. */
	isHidden: boolean
}

export const ADMIN_PATH = '/admin'
