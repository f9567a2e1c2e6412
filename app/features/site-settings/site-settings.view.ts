import type { AccentPreview } from '~/platform/appearance/appearance.server.ts'
import type { Setting } from '~/platform/settings/setting.ts'

export const settingsPath = '/admin/settings'

/** The page of a section. */
export function sectionPath(name: string): string {
	return `${settingsPath}/${name}`
}

/** Changes shown on the page of a section, latest first. */
export const MAX_CHANGES_SHOWN = 30

/** The field name of a setting. Fields named password are never sent back in a rejected form. */
export function fieldOf(name: string, { input }: Pick<Setting, 'input'>): string {
	return input === 'secret' ? `password-${name}` : name
}

/** The name of the checkbox that removes a secret or a picture. */
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
	field: string
	/** The field's value; empty for a secret. */
	text: string
	/** What was typed to be shown but is invalid, such as a colour to preview; null for nothing. */
	refused: { text: string; error: string } | null
	/** Whether the secret is set. */
	isSet: boolean
	/** For a colour: a preview in each theme. */
	previews: AccentPreview[]
	/** For a line: suggestions while typing. */
	suggestions: readonly string[]
	/** The environment variable that overrides it, if set. */
	environment: string | null
}

export interface SettingChangeView {
	id: number
	at: string
	/** The admin; null if they have left. */
	by: { username: string; name: string } | null
	/** The changes in words; for a secret only the fact. */
	parts: { label: string; from: string | null; to: string | null }[]
	/** Whether everything is still as this change left it. */
	mayUndo: boolean
}

export interface SectionView extends SectionLine {
	version: number
	/** Whether the document is reloaded after a save. */
	loadsAnew: boolean
	settings: SettingView[]
	changes: SettingChangeView[]
}

/** The words for the values of a field with a choice, by value; empty for other fields. */
export function choiceLabels({ input, choices = [] }: Pick<SettingView, 'input' | 'choices'>): Record<string, string> {
	if (input === 'box') return { on: 'Yes', '': 'No' }
	return Object.fromEntries(choices.map(({ value, label }) => [value, label]))
}

/** A setting's text in words, for the history. */
export function textInWords({ input, choices }: Pick<Setting, 'input' | 'choices'>, text: string): string {
	if (input === 'box') return text === 'on' ? 'yes' : 'no'
	if (input === 'picture' && text) return `a picture of ${text.replace(/^.*#(\d+)x/, '$1 × ')} pixels`
	return choices?.find(({ value }) => value === text)?.label ?? (text || 'nothing')
}
