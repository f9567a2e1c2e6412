import type { AccentPreview } from '~/platform/appearance/appearance.server.ts'
import type { Setting } from '~/platform/settings/setting.ts'

export const settingsPath = '/admin/settings'

/** The page of a section. */
export function sectionPath(name: string): string {
	return `${settingsPath}/${name}`
}

/** Changes that the page of a section shows, the latest first. */
export const MAX_CHANGES_SHOWN = 30

/**
 * The name of a setting's field. What is called a password is never sent back in a form that was refused.
 */
export function fieldOf(name: string, { input }: Pick<Setting, 'input'>): string {
	return input === 'secret' ? `password-${name}` : name
}

/** The name of the box that removes a secret or a picture. */
export function removalOf(name: string): string {
	return `remove-${name}`
}

export interface SectionLine {
	name: string
	title: string
	about: string
}

export interface SettingView {
	label: string
	hint: string | undefined
	input: Setting['input']
	choices: Setting['choices']
	name: string
	/** The name of its field. */
	field: string
	/** What is in its field; of a secret, nothing. */
	text: string
	/** Whether there is a secret. */
	isSet: boolean
	/** Of a colour: how it looks in each theme. */
	previews: AccentPreview[]
	/** Of a line: what is offered while it is typed. */
	suggestions: readonly string[]
	/** The environment variable that decides, where one does. */
	environment: string | null
}

export interface ChangeView {
	id: number
	at: string
	/** Who made it; null when they have left. */
	by: { username: string; name: string } | null
	/** What was changed, in words; of a secret only that it was. */
	parts: { label: string; from: string | null; to: string | null }[]
	/** Whether everything that it changed still stands as it was changed. */
	mayUndo: boolean
}

export interface SectionView extends SectionLine {
	version: number
	/** Whether the document is loaded again after a save. */
	loadsAnew: boolean
	settings: SettingView[]
	changes: ChangeView[]
}

/** A setting's text in words, for the history. */
export function textInWords({ input, choices }: Pick<Setting, 'input' | 'choices'>, text: string): string {
	if (input === 'box') return text === 'on' ? 'yes' : 'no'
	if (input === 'picture' && text) return `a picture of ${text.replace(/^.*#(\d+)x/, '$1 × ')} pixels`
	return choices?.find(({ value }) => value === text)?.label ?? (text || 'nothing')
}
