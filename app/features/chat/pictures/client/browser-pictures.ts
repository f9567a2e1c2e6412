import { UploadError, uploadPicture } from '~/features/pictures/components/upload.ts'
import type { Upload } from './uploads.ts'

/** What may turn out otherwise a little later. */
const passing = new Set<UploadError['kind']>(['canceled', 'retry-limit-exceeded', 'unauthenticated'])

/** Sends the picture of a message as those of profiles are sent. */
export const uploadForMessage: Upload = async (file, { signal, onProgress }) => {
	try {
		const options = { kind: 'message', file, crop: null, signal } as const
		const { path } = await uploadPicture({
			...options,
			onProgress: (sent, waiting) => onProgress({ sent, waiting }),
		})
		return { path }
	} catch (error) {
		if (!(error instanceof UploadError)) throw error
		return { refusal: passing.has(error.kind) ? null : error.message }
	}
}

/** Pixels of a picture, upright; null when the browser cannot show it. */
export async function measure(file: Blob): Promise<{ width: number; height: number } | null> {
	const image = new Image()
	const url = URL.createObjectURL(file)
	try {
		image.src = url
		await image.decode()
		return { width: image.naturalWidth, height: image.naturalHeight }
	} catch {
		return null
	} finally {
		URL.revokeObjectURL(url)
	}
}
