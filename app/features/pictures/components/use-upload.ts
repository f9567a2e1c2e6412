import { useEffect, useRef, useState } from 'react'
import type { PictureView } from '~/features/profiles/profiles.view.ts'
import { largestPicture, type PictureKind } from '~/lib/picture-paths.ts'
import { pictureRefusals, type UploadErrorKind } from '../pictures.view.ts'
import { type CropArea, UploadError, uploadPicture } from './upload.ts'

export interface Upload {
	picture: PictureView | null
	/** While a picture is on its way: its name, how much was sent from 0 to 1, and whether another try waits. */
	sending: { name: string; sent: number; waiting: boolean } | null
	failure: string | null
	start: (file: File, crop: CropArea | null) => void
	cancel: () => void
	remove: () => void
	fail: (message: string) => void
}

interface Told {
	onChange: (picture: PictureView | null) => void
	onFailure: (kind: UploadErrorKind) => void
}

/** The picture of a form's field while it is chosen, sent, cancelled or removed. */
export function useUpload(kind: PictureKind, initial: PictureView | null, told: Told): Upload {
	const [picture, setPicture] = useState(initial)
	const [sending, setSending] = useState<Upload['sending']>(null)
	const [failure, setFailure] = useState<string | null>(null)
	const stop = useRef<AbortController>(null)

	// Told once the form holds the new picture, as who is told reads the form.
	const { onChange, onFailure } = told
	const last = useRef(picture)
	useEffect(() => {
		if (last.current === picture) return
		last.current = picture
		onChange(picture)
	}, [picture, onChange])

	const start = async (file: File, crop: CropArea | null) => {
		forget()
		const controller = new AbortController()
		stop.current = controller
		const tell = (sent: number, waiting: boolean) => setSending({ name: file.name, sent, waiting })
		setFailure(null)
		tell(0, false)
		try {
			const stored = await uploadPicture({ kind, file, crop, onProgress: tell, signal: controller.signal })
			if (controller === stop.current) setPicture(stored)
		} catch (error) {
			if (controller !== stop.current) return
			setFailure(error instanceof UploadError ? error.message : String(error))
			onFailure(error instanceof UploadError ? error.kind : 'unknown')
		} finally {
			if (controller === stop.current) setSending(null)
		}
	}

	/** Stops what is on its way, and hears no more of it. */
	const forget = () => {
		const running = stop.current
		stop.current = null
		running?.abort()
	}
	// biome-ignore lint/correctness/useExhaustiveDependencies: there is one such moment
	useEffect(() => forget, [])

	return {
		picture,
		sending,
		failure,
		start: (file, crop) => {
			if (file.size > largestPicture) setFailure(pictureRefusals.bytes)
			else void start(file, crop)
		},
		cancel: () => stop.current?.abort(),
		remove: () => {
			forget()
			setSending(null)
			setFailure(null)
			setPicture(null)
		},
		fail: setFailure,
	}
}
