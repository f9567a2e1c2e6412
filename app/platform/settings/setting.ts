import { z } from 'zod'
import type { Config } from '~/config.server.ts'
import { isStorable } from '~/lib/clean.ts'
import { plainDomain } from '~/lib/mail-domains.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/* Declarations of settings that admins change on /admin/settings while the site runs. */

/** A setting. Features make one by the functions below. */
export interface Setting<Value = unknown> {
	/** Parses the text of its field, which may be empty; the error is one sentence. */
	schema: z.ZodType<Value>
	/** The value until an admin saves another. */
	default: Value
	/** The label of its field. */
	label: string
	/** What it does, in words for people who are not programmers. */
	hint?: string
	/**
	 * A `secret` is stored encrypted, and never shown again, logged or exported. A `picture` is stored as path and size,
	 * `logos/-/{hash}#{width}x{height}`.
	 */
	input: 'line' | 'text' | 'number' | 'date' | 'box' | 'choice' | 'secret' | 'colour' | 'picture'
	/** For a choice, the label of each value. For a colour, some named suggestions. */
	choices?: readonly { value: string; label: string }[]
	/** For a line, suggestions while typing. */
	suggestions?: () => readonly string[]
	/** The environment variable that overrides the saved value. */
	environment?: keyof Config
}

/** The values of a section's settings. */
export type SettingValues<Settings> = {
	[Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never
}

/** Settings that are saved together: one form with its history. */
export interface SettingSection<Settings extends Record<string, Setting> = Record<string, Setting>> {
	/** Used in its address and in the table; never change it. */
	name: string
	title: string
	/** One line for the list of sections. */
	about: string
	settings: Settings
	/** Whether saving requires a confirmed identity: these settings decide who gets in. */
	isSensitive?: boolean
	/** Whether it changes how every page looks, so that the document has to be reloaded after saving. */
	loadsAnew?: boolean
	/**
	 * Checks values before a transaction is open; it may call other servers.
	 * @throws Invalid with the setting as the field, or another domain error
	 */
	check?(values: SettingValues<Settings>): Promise<void>
	/** As `check`, within the saving transaction, for what would lock people out. @throws Conflict and the like */
	guard?(values: SettingValues<Settings>, trx: Executor): Promise<void>
}

/** Declares a section. List it in the feature's manifest, as `settingSections`. */
export function settingSection<const Settings extends Record<string, Setting>>(
	section: SettingSection<Settings>,
): SettingSection<Settings> {
	return section
}

type Words = Pick<Setting, 'label' | 'hint' | 'environment'>
type LineWords = Words & Pick<Setting, 'suggestions'>

const storable = z.string().refine(isStorable, 'The text contains an invalid character (NUL).')

/** Browsers send a line end as one character or as two. @param maxLength maximum characters */
const upTo = (maxLength: number) =>
	storable
		.overwrite((text) => text.replaceAll('\r\n', '\n'))
		.trim()
		.refine((text) => text.length <= maxLength, `At most ${maxLength} characters.`)

/**
 * A text of one or several lines.
 * @param declared.schema parses the trimmed text; an empty text, too
 */
export function textSetting(
	declared: LineWords & { default?: string; isLong?: boolean; maxLength?: number; schema?: z.ZodType<string, string> },
): Setting<string> {
	const { default: text = '', isLong = false, maxLength = isLong ? 10_000 : 200, schema, ...words } = declared
	const bounded = upTo(maxLength)
	return { ...words, default: text, input: isLong ? 'text' : 'line', schema: schema ? bounded.pipe(schema) : bounded }
}

/** A checkbox. */
export function checkboxSetting({ default: isOn = false, ...words }: Words & { default?: boolean }): Setting<boolean> {
	return { ...words, default: isOn, input: 'box', schema: storable.transform((text) => text === 'on') }
}

/** A whole number within bounds. @public features that keep data for a time declare it */
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

/** A date, `YYYY-MM-DD`; an empty text for none. */
export function dateSetting(words: Words): Setting<string> {
	const schema = z.union([z.iso.date('Enter a day such as 2026-09-01.'), z.literal('')])
	return { ...words, default: '', input: 'date', schema: storable.trim().pipe(schema) }
}

/** One of several values. @public features that may work in several ways declare it */
export function choiceSetting<const Value extends string>(
	declared: Words & { default: NoInfer<Value>; choices: readonly { value: Value; label: string }[] },
): Setting<Value> {
	const values = declared.choices.map(({ value }) => value)
	return { ...declared, input: 'choice', schema: z.enum(values, 'Choose one of these.') }
}

/**
 * A comma-separated list in lower case, such as domains.
 * @param declared.isLong whether the field has several lines
 * @param declared.item rewrites an entry
 * @param declared.separator what stands between two entries
 * @public features that have lists declare it
 */
export function listSetting({
	item = (text) => text,
	separator = /[,\s]+/,
	isLong = false,
	...declared
}: Words & {
	default?: readonly string[]
	isLong?: boolean
	item?: (text: string) => string
	separator?: RegExp
}): Setting<readonly string[]> {
	return {
		...declared,
		default: declared.default ?? [],
		input: isLong ? 'text' : 'line',
		schema: upTo(2_000).transform((text) => [
			...new Set(
				text
					.toLowerCase()
					.split(separator)
					.map((entry) => item(entry.trim()))
					.filter(Boolean),
			),
		]),
	}
}

/** A colour as `#rrggbb`; an empty text for the design's own. */
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

/** Domains of mail addresses; `@campus.example` is taken as `campus.example`. */
export function domainsSetting(words: Words): Setting<readonly string[]> {
	return listSetting({ ...words, item: plainDomain })
}

/** A picture of the site; an empty text for none. */
export function pictureSetting(words: Words): Setting<string> {
	const schema = z.string().regex(/^(logos\/-\/[0-9a-f]{32}#[1-9]\d{0,3}x[1-9]\d{0,3})?$/, 'Choose the picture again.')
	return { ...words, default: '', input: 'picture', schema: upTo(100).pipe(schema) }
}

/** A secret, such as the password of another service; an empty text for none. */
export function secretSetting(words: Words): Setting<string> {
	return { ...words, default: '', input: 'secret', schema: upTo(4_000) }
}
