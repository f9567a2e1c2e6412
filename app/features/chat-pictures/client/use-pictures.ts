import { type ClipboardEvent, type DragEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { useChatClient } from '~/features/chat/client/use-chat.ts'
import type { Attached } from './attachments.ts'
import type { Progress } from './uploads.ts'

const none: readonly Attached[] = []
const never = () => () => {}

/** The pictures that the next message to this member will show, and why the last one was refused. */
export function useAttached(to: string): { pictures: readonly Attached[]; refusal: string | null } {
	const client = useChatClient()
	const subscribe = client?.subscribe ?? never
	const pictures = useSyncExternalStore(
		subscribe,
		() => client?.attachments.listFor(to) ?? none,
		() => none,
	)
	const refusal = useSyncExternalStore(
		subscribe,
		() => client?.attachments.refusalFor(to) ?? null,
		() => null,
	)
	return { pictures, refusal }
}

/** How far a picture is on its way; null when it is not. */
export function useProgress(id: string): Progress | null {
	const client = useChatClient()
	return useSyncExternalStore(
		client?.subscribe ?? never,
		() => client?.uploads.progressOf(id) ?? null,
		() => null,
	)
}

/** The address of a picture on this device, while it is shown; null until it is read. */
export function useLocalPicture(id: string): string | null {
	const client = useChatClient()
	const [url, setUrl] = useState<string | null>(null)
	useEffect(() => {
		let made: string | null = null
		let left = false
		client?.pictureStore.get(id).then((file) => {
			if (left || !file) return
			made = URL.createObjectURL(file)
			setUrl(made)
		})
		return () => {
			left = true
			if (made) URL.revokeObjectURL(made)
		}
	}, [client, id])
	return url
}

/** Takes pictures that are chosen, pasted or dropped for the next message to this member; other things go where they belong. */
export function usePictureIntake(to: string) {
	const client = useChatClient()
	const choose = (files: File[]) => {
		if (files.length > 0) void client?.attachments.choose(to, files)
	}
	return {
		choose,
		onPaste: (event: ClipboardEvent) => {
			// What is copied from a table or a page comes as text, with a picture of it beside.
			const files = event.clipboardData.getData('text/plain') === '' ? [...event.clipboardData.files] : []
			if (files.length > 0) event.preventDefault()
			choose(files)
		},
		onDragOver: (event: DragEvent) => {
			if (event.dataTransfer.types.includes('Files')) event.preventDefault()
		},
		onDrop: (event: DragEvent) => {
			const files = [...event.dataTransfer.files]
			if (files.length > 0) event.preventDefault()
			choose(files)
		},
	}
}
