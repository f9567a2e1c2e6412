import { z } from 'zod'

/*
 * Rules for names of people: every script, but nothing invisible and nothing that changes how the text around it reads. For forms,
 * which run in the browser too; the server checks for impersonation.
 */

/** Code points of Unicode, after {@link cleanPersonName}. */
const MAX_NAME_LENGTH = 100

/**
 * Combining marks on one letter. Pointed Hebrew has three (dot, dagesh, vowel), Tibetan and Thai have fewer; text that overflows
 * into other lines has dozens.
 */
const MAX_MARKS_ON_A_LETTER = 3

/** Scripts whose spelling needs joiners between letters, as in Persian `علی‌رضا` and Sinhala `ශ්‍රී`. */
const joining = ['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh']
	.concat(['Khmr', 'Mymr', 'Tibt'])
	.map((script) => `\\p{Script=${script}}`)
	.join('')
const joiner = new RegExp(`([${joining}])[\\u200C\\u200D](?=[${joining}])`, 'gu')

/** Emoji with their variation selectors, tones and joiners; two regional indicators make a flag. */
const emoji =
	/\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*|\p{Regional_Indicator}{2}/gu

const otherDirection = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
/** Invisible characters: Unicode's own list, control and format characters, and the empty pattern of Braille. */
const invisible = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u
/** Private use, unassigned, halves of surrogate pairs, the replacement characters. */
const meaningless = /[\p{Co}\p{Cn}\p{Cs}\uFFFC\uFFFD]/u
const manyMarks = new RegExp(`[\\p{Mn}\\p{Me}]{${MAX_MARKS_ON_A_LETTER + 1}}|^\\p{M}`, 'u')

/** A name as it is stored: composed (NFC), with single spaces, and trimmed. */
function cleanPersonName(typed: string): string {
	return typed
		.normalize('NFC')
		.replace(/[^\S\uFEFF]+/g, ' ')
		.replace(/^ | $/g, '')
}

/**
 * Why a name is not allowed, as a sentence; null for an allowed one.
 * @param name a result of {@link cleanPersonName}; the caller rejects an empty one
 */
function personNameError(name: string): string | null {
	if ([...name].length > MAX_NAME_LENGTH) return `A name has at most ${MAX_NAME_LENGTH} characters.`
	if (meaningless.test(name)) return 'A name cannot contain characters that not every device can show.'
	if (otherDirection.test(name)) return 'A name cannot contain characters that change the direction of writing.'
	// Twice, as a joiner may be on both sides of one letter.
	const seen = name.replace(emoji, '').replace(joiner, '$1').replace(joiner, '$1')
	if (invisible.test(seen)) return 'A name cannot contain invisible characters.'
	if (manyMarks.test(seen)) return 'A name cannot have that many accents on one letter.'
	if (!/\p{L}/u.test(seen)) return 'A name needs at least one letter.'
	return null
}

/** The name of a person from a form or a program, as it is stored. */
export const personName = z
	.string({ error: 'Full name is required!' })
	.transform(cleanPersonName)
	.superRefine((name, context) => {
		const message = name === '' ? 'Full name is required!' : personNameError(name)
		if (message) context.addIssue({ code: 'custom', message })
	})
