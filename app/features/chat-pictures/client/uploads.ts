import { UploadError, uploadPicture } from '~/features/pictures/components/upload.ts'
import type { PictureStore } from './picture-store.ts'

/** The progress of an upload. */
export interface Progress {
	/** From 0 to 1. */
	sent: number
	/** Whether the last attempt failed and a retry is pending. */
	waiting: boolean
}

/** The result of an upload: the path, or the reason of a refusal; null if it may be retried. */
type Sent = { path: string } | { refusal: string | null }

/** Uploads one file, with retries. */
export type UploadPicture = (
	file: Blob,
	options: { signal: AbortSignal; onProgress: (progress: Progress) => void },
) => Promise<Sent>

/** The server deletes unused uploads after an hour, so an upload older than half of that is repeated. */
const UPLOAD_VALID_MS = 30 * 60_000

const goneMessage = 'The picture is no longer on this device. Choose it again.'

interface Running {
	sent: Promise<Sent>
	stop: AbortController
	at: number
}

/** Uploads in progress, at most one for each file. */
export class Uploads {
	private readonly store: PictureStore
	private readonly upload: UploadPicture
	private readonly onChange: () => void
	private readonly running = new Map<string, Running>()
	private readonly progress = new Map<string, Progress>()

	constructor(parts: { store: PictureStore; upload: UploadPicture; onChange: () => void }) {
		this.store = parts.store
		this.upload = parts.upload
		this.onChange = parts.onChange
	}

	/** The progress of an upload; null if there is none. The same object until it changes. */
	progressOf(id: string): Progress | null {
		return this.progress.get(id) ?? null
	}

	/** Uploads a picture, unless that is in progress or was done recently. */
	finish(id: string): Promise<Sent> {
		const known = this.running.get(id)
		if (known && known.at > Date.now() - UPLOAD_VALID_MS) return known.sent
		return this.start(id)
	}

	/** Retries at once what waits, as the connection is back. */
	hurry(): void {
		for (const [id, { waiting }] of this.progress) {
			if (!waiting) continue
			this.running.get(id)?.stop.abort()
			void this.start(id)
		}
	}

	/** Makes the next {@link finish} upload again, as the stored file may be gone. */
	again(id: string): void {
		this.running.get(id)?.stop.abort()
		this.running.delete(id)
	}

	/** Aborts an upload, without a result. */
	cancel(id: string): void {
		this.again(id)
		this.setProgress(id, null)
	}

	private start(id: string): Promise<Sent> {
		const stop = new AbortController()
		const sent = this.send(id, stop.signal).then((outcome) => {
			if (stop.signal.aborted) return this.running.has(id) ? this.finish(id) : { refusal: null }
			this.setProgress(id, null)
			if ('refusal' in outcome) this.running.delete(id)
			return outcome
		})
		this.running.set(id, { sent, stop, at: Date.now() })
		return sent
	}

	private async send(id: string, signal: AbortSignal): Promise<Sent> {
		this.setProgress(id, { sent: 0, waiting: false })
		const file = await this.store.get(id)
		if (!file) return { refusal: goneMessage }
		const onProgress = (progress: Progress) => {
			if (!signal.aborted) this.setProgress(id, progress)
		}
		return this.upload(file, { signal, onProgress })
	}

	private setProgress(id: string, progress: Progress | null): void {
		if (progress) this.progress.set(id, progress)
		else this.progress.delete(id)
		this.onChange()
	}
}

/** Errors that a retry may resolve. */
const passing = new Set<UploadError['kind']>(['canceled', 'retry-limit-exceeded', 'unauthenticated'])

/** Uploads a picture of a message. */
export const uploadForMessage: UploadPicture = async (file, { signal, onProgress }) => {
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

/** Size in pixels, with the orientation applied; null if the browser cannot decode it. */
export async function measurePicture(file: Blob): Promise<{ width: number; height: number } | null> {
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
