import { useEffect, useRef, useState } from 'react'
import { PAGE_MEMBER_HEADER } from '~/lib/page-handle.ts'
import { viewerOfPage } from '~/lib/root-data.ts'
import {
	MAX_PICTURE_BYTES,
	type PictureKind,
	type PictureView,
	pictureRefusals,
	type UploadErrorKind,
	type UploadFailure,
	uploadErrors,
} from '../pictures.view.ts'

/** The part of a picture to keep, in pixels of the picture. */
export interface CropArea {
	x: number
	y: number
	width: number
	height: number
}

interface UploadOptions {
	kind: PictureKind
	file: Blob
	crop: CropArea | null
	/** Called with the share that was sent, from 0 to 1, and whether a retry is pending. */
	onProgress: (sent: number, waiting: boolean) => void
	signal: AbortSignal
}

/** The reason why an upload failed. */
export class UploadError extends Error {
	readonly kind: UploadErrorKind
	constructor({ kind, message }: UploadFailure) {
		super(message)
		this.kind = kind
	}
}

/** Why a file cannot be uploaded; null if only the server can tell. */
export function uploadRefusal({ size, type }: Blob): string | null {
	if (size > MAX_PICTURE_BYTES) return pictureRefusals.bytes
	return type === 'image/jpeg' || type === 'image/png' ? null : pictureRefusals.type
}

/** Uploads are retried for at most this time. Uploading a picture twice stores it once, so a retry is safe. */
const UPLOAD_TIMEOUT_MS = 600_000
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
/** An attempt without progress for this long is aborted: the connection may be dead without an error. */
const MAX_SILENCE_MS = 60_000

/**
 * Uploads a picture, with retries and back-off on network and server errors.
 * @throws UploadError; of kind `canceled` if the signal aborts
 */
export async function uploadPicture(options: UploadOptions): Promise<PictureView> {
	const end = Date.now() + UPLOAD_TIMEOUT_MS
	for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
		try {
			return await send(options, end - Date.now())
		} catch (error) {
			if (!(error instanceof PassingFailure)) throw error
		}
		if (Date.now() + wait > end) throw errorOf('retry-limit-exceeded')
		options.onProgress(0, true)
		await pause(wait, options.signal)
	}
}

/** A network error, or a server error that a retry may resolve. */
class PassingFailure extends Error {}

/** Uses XMLHttpRequest, as `fetch` has no upload progress. */
function send({ kind, file, crop, onProgress, signal }: UploadOptions, within: number): Promise<PictureView> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) return reject(errorOf('canceled'))
		const form = new FormData()
		form.set('kind', kind)
		if (crop) form.set('crop', JSON.stringify(crop))
		form.set('file', file)
		const request = new XMLHttpRequest()
		let silence: ReturnType<typeof setTimeout>
		const listen = () => {
			clearTimeout(silence)
			silence = setTimeout(() => {
				reject(new PassingFailure())
				request.abort()
			}, MAX_SILENCE_MS)
		}
		request.upload.onprogress = ({ loaded, total }) => {
			listen()
			onProgress(total ? loaded / total : 0, false)
		}
		request.onload = () => {
			const answer = read(request.responseText)
			if (request.status === 200 && answer.picture) resolve(answer.picture)
			else if (request.status >= 500 || request.status === 429) reject(new PassingFailure())
			else if (answer.message) reject(new UploadError({ kind: 'unauthenticated', message: answer.message }))
			else reject(answer.error ? new UploadError(answer.error) : errorOf('unknown'))
		}
		request.onerror = () => reject(new PassingFailure())
		request.ontimeout = () => reject(errorOf('retry-limit-exceeded'))
		request.onabort = () => reject(errorOf('canceled'))
		request.onloadend = () => clearTimeout(silence)
		signal.addEventListener('abort', () => request.abort(), { once: true })
		request.open('POST', '/media')
		const viewer = viewerOfPage()
		if (viewer) request.setRequestHeader(PAGE_MEMBER_HEADER, String(viewer.id))
		request.timeout = within
		request.send(form)
		listen()
	})
}

/** `message`: why nothing was stored, as another member has logged in since. */
function read(text: string): { picture?: PictureView; error?: UploadFailure; message?: string } {
	try {
		return JSON.parse(text)
	} catch {
		return {}
	}
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(resolve, milliseconds)
		signal.addEventListener(
			'abort',
			() => {
				clearTimeout(timer)
				reject(errorOf('canceled'))
			},
			{ once: true },
		)
	})
}

function errorOf(kind: UploadErrorKind): UploadError {
	return new UploadError({ kind, message: uploadErrors[kind].message })
}

export interface UploadState {
	picture: PictureView | null
	/** During an upload: its name, the share that was sent from 0 to 1, and whether a retry is pending. */
	sending: { name: string; sent: number; waiting: boolean } | null
	failure: string | null
	start: (file: File, crop: CropArea | null) => void
	cancel: () => void
	remove: () => void
	fail: (message: string) => void
}

interface UploadListeners {
	onChange: (picture: PictureView | null) => void
	onFailure: (kind: UploadErrorKind) => void
}

/** The state of a form's picture field. */
export function useUpload(kind: PictureKind, initial: PictureView | null, listeners: UploadListeners): UploadState {
	const [picture, setPicture] = useState(initial)
	const [sending, setSending] = useState<UploadState['sending']>(null)
	const [failure, setFailure] = useState<string | null>(null)
	const stop = useRef<AbortController>(null)

	// Called after rendering, as the listener reads the form.
	const { onChange, onFailure } = listeners
	const last = useRef(picture)
	useEffect(() => {
		if (last.current === picture) return
		last.current = picture
		onChange(picture)
	}, [picture, onChange])

	const start = async (file: File, crop: CropArea | null) => {
		abandon()
		const controller = new AbortController()
		stop.current = controller
		const report = (sent: number, waiting: boolean) => setSending({ name: file.name, sent, waiting })
		setFailure(null)
		report(0, false)
		try {
			const stored = await uploadPicture({ kind, file, crop, onProgress: report, signal: controller.signal })
			if (controller === stop.current) setPicture(stored)
		} catch (error) {
			if (controller !== stop.current) return
			setFailure(error instanceof UploadError ? error.message : String(error))
			onFailure(error instanceof UploadError ? error.kind : 'unknown')
		} finally {
			if (controller === stop.current) setSending(null)
		}
	}

	/** Aborts the running upload and ignores its result. */
	const abandon = () => {
		const running = stop.current
		stop.current = null
		running?.abort()
	}
	// biome-ignore lint/correctness/useExhaustiveDependencies: there is one such moment
	useEffect(() => abandon, [])

	return {
		picture,
		sending,
		failure,
		start: (file, crop) => {
			if (file.size > MAX_PICTURE_BYTES) setFailure(pictureRefusals.bytes)
			else void start(file, crop)
		},
		cancel: () => stop.current?.abort(),
		remove: () => {
			abandon()
			setSending(null)
			setFailure(null)
			setPicture(null)
		},
		fail: setFailure,
	}
}
