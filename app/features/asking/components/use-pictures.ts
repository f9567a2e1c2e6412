import { type RefObject, useEffect, useRef, useState } from 'react'
import { UploadError, uploadPicture, uploadRefusal } from '~/features/pictures/components/upload.ts'
import { pictureUrl } from '~/lib/addresses.ts'
import { applyEdit, blockAfter } from './markdown-edits.ts'

/** A running upload. */
export interface PictureUpload {
	id: number
	name: string
	/** From 0 to 1. */
	sent: number
	/** Whether the last attempt failed and a retry is pending. */
	waiting: boolean
	cancel: () => void
}

/** Uploads pictures for a text concurrently, and inserts each below the line with the cursor. */
export function usePictures(area: RefObject<HTMLTextAreaElement | null>) {
	const [sending, setSending] = useState<PictureUpload[]>([])
	const [failure, setFailure] = useState<string | null>(null)
	const last = useRef(0)
	const stops = useRef(new Set<AbortController>())
	useEffect(() => {
		const running = stops.current
		return () => {
			for (const stop of running) stop.abort()
		}
	}, [])

	const add = async (file: File) => {
		const refusal = uploadRefusal(file)
		if (refusal !== null) return setFailure(refusal)
		last.current += 1
		const id = last.current
		const stop = new AbortController()
		stops.current.add(stop)
		const name = file.name || 'picture'
		const tell = (sent: number, waiting: boolean) =>
			setSending((all) => all.map((each) => (each.id === id ? { ...each, sent, waiting } : each)))
		setSending((all) => [...all, { id, name, sent: 0, waiting: false, cancel: () => stop.abort() }])
		try {
			const picture = await uploadPicture({ kind: 'post', file, crop: null, onProgress: tell, signal: stop.signal })
			write(area.current, pictureMarkdown(name, picture))
		} catch (error) {
			// Ignored if the form was closed.
			if (area.current) setFailure(error instanceof UploadError ? error.message : String(error))
		} finally {
			stops.current.delete(stop)
			setSending((all) => all.filter((each) => each.id !== id))
		}
	}
	const addAll = (files: Iterable<File>) => {
		setFailure(null)
		for (const file of files) void add(file)
	}
	return { sending, failure, addAll }
}

interface Stored {
	path: string
	width: number
	height: number
}

/** The Markdown of a stored picture. Its address contains the size, to reserve space while it loads. */
export function pictureMarkdown(name: string, { path, width, height }: Stored): string {
	const words = name
		.replace(/\.[a-z0-9]{1,5}$/i, '')
		.replace(/[[\]\\*_`<>\n]/g, ' ')
		.trim()
	return `![${words}](${pictureUrl(path, 1280)}#${width}x${height})`
}

function write(area: HTMLTextAreaElement | null, markdown: string): void {
	if (area) applyEdit(area, blockAfter(area.value, area.selectionEnd, markdown))
}
