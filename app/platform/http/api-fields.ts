import { z } from 'zod'
import { PICTURE_WIDTHS, PORTRAIT_WIDTHS } from '~/lib/addresses.ts'

/* Fields of the API that several features have. */

/** The picture of a member. */
export const portrait = z
	.string()
	.nullable()
	.describe(
		`Their picture, without its size: it is at \`/media/{image}-{width}.webp\`, ${PORTRAIT_WIDTHS.join(', ')} pixels wide. null for none.`,
	)

/** The author of a text. */
export const author = z.object({
	username: z.string(),
	name: z.string(),
	image: portrait,
	pseudonym: z
		.object({ verified: z.boolean().describe('Whether it is a verified student.') })
		.optional()
		.describe('Only of a pseudonym, which has no profile.'),
})

/** Where a picture of a message is. */
export const messagePictureSize = `\`/media/{path}-{width}.webp\`, ${PICTURE_WIDTHS.join(', ')} pixels wide`
