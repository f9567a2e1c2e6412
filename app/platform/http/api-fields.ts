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

/** Where a picture of a message is. */
export const messagePictureSize = `\`/media/{path}-{width}.webp\`, ${PICTURE_WIDTHS.join(', ')} pixels wide`
