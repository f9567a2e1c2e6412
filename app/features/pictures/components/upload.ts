import { useEffect, useRef, useState } from 'react'
import {
	MAX_PICTURE_BYTES,
	type PictureKind,
	type PictureView,
	pictureRefusals,
	type UploadErrorKind,
	type UploadFailure,
	uploadErrors,
} from '../pictures.view.ts'

/** The part of a picture to keep, in its own pixels. */
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
	/** Told how much was sent, from 0 to 1, and whether the last try failed and another one waits. */
	onProgress: (sent: number, waiting: boolean) => void
	signal: AbortSignal
}

/** Why an upload ended without a picture. */
export class UploadError extends Error {
	readonly kind: UploadErrorKind
	constructor({ kind, message }: UploadFailure) {
		super(message)
		this.kind = kind
	}
}

/** Why a file needs not be sent at all, in words; null when only the server can tell. */
export function refusalOf({ size, type }: Blob): string | null {
	if (size > MAX_PICTURE_BYTES) return pictureRefusals.bytes
	return type === 'image/jpeg' || type === 'image/png' ? null : pictureRefusals.type
}

/** Uploads are tried again for at most 600 s; the same picture sent twice is one picture, so a repeat is safe. */
const UPLOAD_TIMEOUT_MS = 600_000
const firstWait = 1_000
const MAX_WAIT_MS = 30_000
/** A try in which nothing moves for so many milliseconds is given up: the connection is lost and has not noticed. */
const MAX_SILENCE_MS = 60_000

/**
 * Sends a picture and tries again with growing pauses when the connection or the server fails.
 * @throws UploadError of one of the kinds; `canceled` when the signal aborts
 */
export async function uploadPicture(options: UploadOptions): Promise<PictureView> {
	const end = Date.now() + UPLOAD_TIMEOUT_MS
	for (let wait = firstWait; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
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

/** The connection broke, or the server said that it will be better later. */
class PassingFailure extends Error {}

/** `fetch` reports no progress of an upload, so this is the older way. */
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
			else reject(answer.error ? new UploadError(answer.error) : errorOf('unknown'))
		}
		request.onerror = () => reject(new PassingFailure())
		request.ontimeout = () => reject(errorOf('retry-limit-exceeded'))
		request.onabort = () => reject(errorOf('canceled'))
		request.onloadend = () => clearTimeout(silence)
		signal.addEventListener('abort', () => request.abort(), { once: true })
		request.open('POST', '/media')
		request.timeout = within
		request.send(form)
		listen()
	})
}

function read(text: string): { picture?: PictureView; error?: UploadFailure } {
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
	/** While a picture is on its way: its name, how much was sent from 0 to 1, and whether another try waits. */
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

/** The picture of a form's field while it is chosen, sent, cancelled or removed. */
export function useUpload(kind: PictureKind, initial: PictureView | null, listeners: UploadListeners): UploadState {
	const [picture, setPicture] = useState(initial)
	const [sending, setSending] = useState<UploadState['sending']>(null)
	const [failure, setFailure] = useState<string | null>(null)
	const stop = useRef<AbortController>(null)

	// Called once the form holds the new picture, as the listener reads the form.
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
