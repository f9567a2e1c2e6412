import { UploadError, uploadPicture } from '~/features/pictures/components/upload.ts'
import type { PictureStore } from './picture-store.ts'

/** How far a picture has come. */
export interface Progress {
	/** From 0 to 1. */
	sent: number
	/** Whether the last try failed and another one waits. */
	waiting: boolean
}

/** What became of a picture: where it is stored, or why it was refused; null when it may be tried again. */
type Sent = { path: string } | { refusal: string | null }

/** Sends one file, and tries again for a while. */
export type UploadPicture = (
	file: Blob,
	options: { signal: AbortSignal; onProgress: (progress: Progress) => void },
) => Promise<Sent>

/** The server deletes a picture that no message shows after an hour; one sent half as long ago is sent again. */
const UPLOAD_VALID_MS = 30 * 60_000

const gone = 'The picture is no longer on this device. Choose it again.'

interface Running {
	sent: Promise<Sent>
	stop: AbortController
	at: number
}

/** Files on their way to the server, each once at a time. */
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

	/** How far this one is; null when it is not on its way. The same object until it moves. */
	progressOf(id: string): Progress | null {
		return this.progress.get(id) ?? null
	}

	/** Sends a picture, unless that is being done or was done just now. */
	finish(id: string): Promise<Sent> {
		const known = this.running.get(id)
		if (known && known.at > Date.now() - UPLOAD_VALID_MS) return known.sent
		return this.start(id)
	}

	/** The connection is back: what waits for its next try goes at once. */
	hurry(): void {
		for (const [id, { waiting }] of this.progress) {
			if (!waiting) continue
			this.running.get(id)?.stop.abort()
			void this.start(id)
		}
	}

	/** What was stored may be gone: the next {@link finish} sends it again. */
	again(id: string): void {
		this.running.get(id)?.stop.abort()
		this.running.delete(id)
	}

	/** Stops it, and hears no more of it. */
	cancel(id: string): void {
		this.again(id)
		this.tell(id, null)
	}

	private start(id: string): Promise<Sent> {
		const stop = new AbortController()
		const sent = this.send(id, stop.signal).then((outcome) => {
			if (stop.signal.aborted) return this.running.has(id) ? this.finish(id) : { refusal: null }
			this.tell(id, null)
			if ('refusal' in outcome) this.running.delete(id)
			return outcome
		})
		this.running.set(id, { sent, stop, at: Date.now() })
		return sent
	}

	private async send(id: string, signal: AbortSignal): Promise<Sent> {
		this.tell(id, { sent: 0, waiting: false })
		const file = await this.store.get(id)
		if (!file) return { refusal: gone }
		const onProgress = (progress: Progress) => {
			if (!signal.aborted) this.tell(id, progress)
		}
		return this.upload(file, { signal, onProgress })
	}

	private tell(id: string, progress: Progress | null): void {
		if (progress) this.progress.set(id, progress)
		else this.progress.delete(id)
		this.onChange()
	}
}

/** What may turn out otherwise a little later. */
const passing = new Set<UploadError['kind']>(['canceled', 'retry-limit-exceeded', 'unauthenticated'])

/** Sends the picture of a message as those of profiles are sent. */
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
