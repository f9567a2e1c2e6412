import { z } from 'zod'
import { MAX_ALT_LENGTH, MAX_PICTURES, TOO_MANY_PICTURES } from '~/features/chat-pictures/chat-pictures.view.ts'
import { picturePath } from '~/features/pictures/pictures.view.ts'
import { cleanText, isStorable, unstorableMessage } from '~/lib/clean.ts'
import { chatLimits, trimmedMessage } from './chat.view.ts'

const emptyMessage = 'Write something first.'

/** The text of a message. */
const body = z
	.string({ error: emptyMessage })
	.refine(isStorable, unstorableMessage)
	.transform((text) => trimmedMessage(cleanText(text)))
	.refine(
		(text) => text.length <= chatLimits.messageMax,
		`A message may have at most ${chatLimits.messageMax.toLocaleString('en')} characters.`,
	)

/** A picture uploaded for the message; its existence is checked when the message is stored. */
const picture = z.object({
	path: z.string().regex(picturePath, 'A picture of this message no longer exists. Send it again.'),
	alt: z
		.string()
		.refine(isStorable, unstorableMessage)
		.transform((text) => cleanText(text).replace(/\s+/g, ' ').trim())
		.refine((text) => text.length <= MAX_ALT_LENGTH, `A description may have at most ${MAX_ALT_LENGTH} characters.`),
})

/** Input of a new message: text, pictures, or both. */
export const messageInput = z
	.object({
		body,
		pictures: z
			.array(picture, { error: 'The pictures of this message cannot be read.' })
			.max(MAX_PICTURES, TOO_MANY_PICTURES)
			.default([]),
		clientId: z.uuid({ error: 'This message has no id. Reload the page and send it again.' }).toLowerCase(),
	})
	.refine(({ body, pictures }) => body !== '' || pictures.length > 0, { error: emptyMessage, path: ['body'] })

/** Input of an edit; a message with pictures may have no text. */
export const editInput = z.object({ body })
