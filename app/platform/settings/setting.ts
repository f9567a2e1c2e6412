import { z } from 'zod'
import type { Config } from '~/config.server.ts'
import { isStorable } from '~/lib/clean.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/* How a feature declares settings that admins change on /admin/settings while the site runs. */

/** One thing to set. Features make it by the functions below. */
export interface Setting<Value = unknown> {
	/** Reads the text of its field, which may be empty, and says in one sentence what is wrong with it. */
	schema: z.ZodType<Value>
	/** What holds until an admin saves something else. */
	default: Value
	/** Stands above its field. */
	label: string
	/** What it does, for people who are not programmers. */
	hint?: string
	/**
	 * A `secret` is encrypted where it is stored, and never shown again, logged or exported. A `picture` is stored as its path and its size,
	 * `logos/-/{hash}#{width}x{height}`.
	 */
	input: 'line' | 'text' | 'number' | 'date' | 'box' | 'choice' | 'secret' | 'colour' | 'picture'
	/** Of a choice: what stands for each value. Of a colour: some that are offered by name. */
	choices?: readonly { value: string; label: string }[]
	/** Of a line: what is offered while it is typed. */
	suggestions?: () => readonly string[]
	/** The environment variable that wins over what is saved. */
	environment?: keyof Config
}

/** What each setting of a section says. */
export type SettingValues<Settings> = {
	[Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never
}

/** Settings that are saved together: one form with its history. */
export interface SettingSection<Settings extends Record<string, Setting> = Record<string, Setting>> {
	/** In its address, and in the table; never to be changed. */
	name: string
	title: string
	/** One line in the list of sections. */
	about: string
	settings: Settings
	/** Whether whoever saves has to confirm who they are: what it holds decides who gets in. */
	isSensitive?: boolean
	/** Whether it says how every page looks, so that whoever saves has the document loaded anew. */
	loadsAnew?: boolean
	/**
	 * Looks at values before they are saved, before any transaction is open: it may ask other servers.
	 * @throws Invalid with the setting as the field, or another domain error
	 */
	check?(values: SettingValues<Settings>): Promise<void>
	/** As `check`, within the transaction that saves, for what would lock people out. @throws Conflict and the like */
	guard?(values: SettingValues<Settings>, trx: Executor): Promise<void>
}

/** Declares a section. It is to be listed in the manifest of its feature, as `settingSections`. */
export function settingSection<const Settings extends Record<string, Setting>>(
	section: SettingSection<Settings>,
): SettingSection<Settings> {
	return section
}

type Words = Pick<Setting, 'label' | 'hint' | 'environment'>
type LineWords = Words & Pick<Setting, 'suggestions'>

const storable = z.string().refine(isStorable, 'The text contains an invalid character (NUL).')

/** @param maxLength characters that it may have */
const upTo = (maxLength: number) =>
	storable.trim().refine((text) => text.length <= maxLength, `At most ${maxLength} characters.`)

/**
 * A text of one line, or of several.
 * @param declared.schema reads what was typed, without blanks at its ends; an empty text, too
 */
export function textSetting(
	declared: LineWords & { default?: string; isLong?: boolean; maxLength?: number; schema?: z.ZodType<string, string> },
): Setting<string> {
	const { default: text = '', isLong = false, maxLength = isLong ? 10_000 : 200, schema, ...words } = declared
	const bounded = upTo(maxLength)
	return { ...words, default: text, input: isLong ? 'text' : 'line', schema: schema ? bounded.pipe(schema) : bounded }
}

/** A box to tick. */
export function boxSetting({ default: isOn = false, ...words }: Words & { default?: boolean }): Setting<boolean> {
	return { ...words, default: isOn, input: 'box', schema: storable.transform((text) => text === 'on') }
}

/** A whole number within its bounds. @public features that keep things for a time declare it */
export function numberSetting(declared: Words & { default: number; min: number; max: number }): Setting<number> {
	const { min, max, ...rest } = declared
	const message = `Enter a whole number from ${min} to ${max}.`
	return {
		...rest,
		input: 'number',
		schema: storable
			.refine((text) => /^\d{1,9}$/.test(text.trim()), message)
			.transform(Number)
			.refine((number) => number >= min && number <= max, message),
	}
}

/** A day of the calendar, `YYYY-MM-DD`; an empty text where there is none. */
export function dateSetting(words: Words): Setting<string> {
	const schema = z.union([z.iso.date('Enter a day such as 2026-09-01.'), z.literal('')])
	return { ...words, default: '', input: 'date', schema: storable.trim().pipe(schema) }
}

/** One of a few things. @public features that may work in several ways declare it */
export function choiceSetting<const Value extends string>(
	declared: Words & { default: NoInfer<Value>; choices: readonly { value: Value; label: string }[] },
): Setting<Value> {
	const values = declared.choices.map(({ value }) => value)
	return { ...declared, input: 'choice', schema: z.enum(values, 'Choose one of these.') }
}

/** Words with commas between them, in lower case, such as domains. @public features that have lists declare it */
export function listSetting(declared: Words & { default?: readonly string[] }): Setting<readonly string[]> {
	return {
		...declared,
		default: declared.default ?? [],
		input: 'line',
		schema: upTo(2_000).transform((text) => [
			...new Set(
				text
					.toLowerCase()
					.split(/[,\s]+/)
					.filter(Boolean),
			),
		]),
	}
}

/** A colour as `#rrggbb`; an empty text for the one that comes with the design. */
export function colourSetting(
	words: Words & { choices: readonly { value: string; label: string }[] },
): Setting<string> {
	const schema = z
		.string()
		.transform((text) => {
			const [, three] = /^#?([0-9a-f]{3})$/.exec(text.toLowerCase()) ?? []
			if (three) return `#${three.replace(/./g, '$&$&')}`
			return text.toLowerCase().replace(/^(?=[0-9a-f]{6}$)/, '#')
		})
		.refine(
			(text) => /^(#[0-9a-f]{6})?$/.test(text),
			'Enter a colour as # and six hexadecimal digits, such as #7b2d8b.',
		)
	return { ...words, default: '', input: 'colour', schema: upTo(20).pipe(schema) }
}

/** A picture of the site; an empty text where there is none. */
export function pictureSetting(words: Words): Setting<string> {
	const schema = z.string().regex(/^(logos\/-\/[0-9a-f]{32}#[1-9]\d{0,3}x[1-9]\d{0,3})?$/, 'Choose the picture again.')
	return { ...words, default: '', input: 'picture', schema: upTo(100).pipe(schema) }
}

/** What only the site may know, such as the password of another service; an empty text where there is none. */
export function secretSetting(words: Words): Setting<string> {
	return { ...words, default: '', input: 'secret', schema: upTo(4_000) }
}
