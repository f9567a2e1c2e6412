import { z } from 'zod'
import { pictureUrl } from '~/lib/addresses.ts'
import { Invalid } from '~/lib/errors.ts'
import { operation, requireCaller } from '~/platform/http/operation.ts'
import { storePicture } from './pictures.server.ts'
import { MAX_PICTURE_BYTES, pictureRefusals, widthsOf } from './pictures.view.ts'

/** Base64 writes three bytes as four characters. */
const MAX_BASE64_LENGTH = Math.ceil(MAX_PICTURE_BYTES / 3) * 4

const newPicture = z.strictObject({
	data: z
		.string()
		.max(MAX_BASE64_LENGTH, 'The picture is too large.')
		.meta({ description: 'The file in Base64: PNG or JPEG of at most 5 MB.', contentEncoding: 'base64' }),
})

const storedPicture = z.object({
	url: z.string().describe('Path of its largest size. Show it with `![description](url)`.'),
	width: z.int(),
	height: z.int(),
})

export const pictureShapes = { NewPicture: newPicture, StoredPicture: storedPicture }

export const pictureOperations = [
	operation({
		id: 'uploadPicture',
		group: 'Pictures',
		method: 'post',
		path: '/pictures',
		summary: 'Upload a picture for a text',
		description:
			'It is checked and re-encoded like a picture pasted into the form, and deleted after a day unless a text shows it. Sending it again stores another one.',
		access: 'members',
		body: newPicture,
		pictureTooLarge: pictureRefusals.bytes,
		example: {
			data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
		},
		answer: storedPicture,
		refusals: [403, 422],
		run: async (call) => {
			const { data } = newPicture.parse(call.body)
			if (!/^[\w+/]+={0,2}$/.test(data)) throw new Invalid('This is not Base64.', { data: 'This is not Base64.' })
			const { path, width, height } = await storePicture(
				requireCaller(call),
				'post',
				new Blob([Buffer.from(data, 'base64')]),
			)
			return { url: `${pictureUrl(path, widthsOf(path)[2])}#${width}x${height}`, width, height }
		},
	}),
]
