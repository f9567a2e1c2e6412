import { ImagePlus, X } from 'lucide'
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { cropClass, smallSizeOf } from '~/features/pictures/components/picture.tsx'
import { Icon } from '~/ui/icon.tsx'
import { MAX_ALT_LENGTH, type OutgoingPicture } from '../chat-pictures.view.ts'
import type { Attachments, PictureAttachment } from '../client/attachments.ts'
import type { PictureStore } from '../client/picture-store.ts'
import type { Progress, Uploads } from '../client/uploads.ts'

/** The pictures' part of this tab's chat client. */
export interface PictureClient {
	readonly subscribe: (listener: () => void) => () => void
	readonly attachments: Attachments
	readonly uploads: Uploads
	readonly pictureStore: PictureStore
}

const none: readonly PictureAttachment[] = []
const never = () => () => {}

/** The pictures of the next message to this member, and why the last one was refused. */
export function useAttachments(
	client: PictureClient | null,
	to: string,
): { pictures: readonly PictureAttachment[]; refusal: string | null } {
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

/** The progress of an upload; null if there is none. */
function useProgress(client: PictureClient | null, id: string): Progress | null {
	return useSyncExternalStore(
		client?.subscribe ?? never,
		() => client?.uploads.progressOf(id) ?? null,
		() => null,
	)
}

/** An object URL of a local picture, revoked on unmount; null until it is loaded. */
function useLocalPicture(client: PictureClient | null, id: string): string | null {
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

/** Handlers that add chosen, pasted or dropped pictures to the next message to this member, and leave other content alone. */
export function usePictureIntake(client: PictureClient | null, to: string) {
	const choose = (files: File[]) => {
		if (files.length > 0) void client?.attachments.choose(to, files)
	}
	return {
		choose,
		onPaste: (event: ClipboardEvent) => {
			// Text copied from a spreadsheet or a page often comes with a picture of itself, which is ignored.
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

interface AttachedListProps {
	client: PictureClient | null
	peer: string
	pictures: readonly PictureAttachment[]
}

/** The pictures of the next message, with progress, description and a button to remove each. */
export function AttachedList({ client, peer, pictures }: AttachedListProps) {
	if (pictures.length === 0) return null
	return (
		<ul className="mb-2 grid max-h-40 gap-2 overflow-y-auto p-0.5" aria-label="Pictures of this message">
			{pictures.map((picture) => (
				<AttachedItem key={picture.id} client={client} peer={peer} picture={picture} />
			))}
		</ul>
	)
}

interface AttachedItemProps {
	client: PictureClient | null
	peer: string
	picture: PictureAttachment
}

function AttachedItem({ client, peer, picture }: AttachedItemProps) {
	const progress = useProgress(client, picture.id)
	const { id, name, alt } = picture
	return (
		<li className="flex items-center gap-2">
			<LocalPicture
				client={client}
				picture={picture}
				size={{ width: 48, height: 48 }}
				alt={`${name}, as it will be sent`}
				className="size-12 flex-none rounded-sm border border-line-2 object-cover"
			/>
			<span className="min-w-0 flex-1">
				<input
					className="input h-8"
					aria-label={`Description of ${name}`}
					placeholder="Describe the picture (optional)"
					maxLength={MAX_ALT_LENGTH}
					value={alt}
					onChange={(event) => client?.attachments.describe(peer, id, event.currentTarget.value)}
					onKeyDown={(event) => {
						// Enter confirms an IME composition here.
						if (event.key === 'Enter' && event.nativeEvent.isComposing) event.preventDefault()
					}}
				/>
				{progress && (
					<span className="mt-1 flex items-center gap-2 text-2xs text-ink-3">
						<progress
							className="block h-1 flex-1 accent-ivy"
							max={1}
							value={progress.sent}
							aria-label={`Uploading ${name}`}
						/>
						{progress.waiting
							? 'No connection. It will be sent when you are back online.'
							: `${Math.round(progress.sent * 100)}%`}
					</span>
				)}
			</span>
			<button
				type="button"
				className="icon-btn icon-btn-sm"
				aria-label={progress ? `Cancel ${name}` : `Remove ${name}`}
				onClick={() => client?.attachments.drop(peer, id)}
			>
				<Icon of={X} className="icon-sm" />
			</button>
		</li>
	)
}

/** Chooses pictures for the next message. Without scripts {@link NoScriptPictureField} replaces it. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
	const input = useRef<HTMLInputElement>(null)
	const take = () => {
		const field = input.current
		if (!field?.files?.length) return
		onFiles([...field.files])
		// So that choosing the same file again fires a change event.
		field.value = ''
	}
	// A file that was chosen before the scripts had loaded fired no event.
	// biome-ignore lint/correctness/useExhaustiveDependencies: there is one such moment
	useEffect(take, [])
	return (
		<label
			className="icon-btn relative size-9 flex-none cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-ivy noscript:hidden"
			title="Add pictures"
		>
			<Icon of={ImagePlus} />
			<input
				ref={input}
				className="sr-only"
				type="file"
				accept="image/jpeg,image/png"
				multiple
				aria-label="Add pictures"
				onChange={take}
			/>
		</label>
	)
}

interface PlainPictureProps {
	/** What an earlier attempt sent, if it was refused for another reason. */
	values: Record<string, string>
}

/** A picture for the next message, in browsers without scripts. */
export function NoScriptPictureField({ values }: PlainPictureProps) {
	return (
		<div className="mt-2 hidden flex-wrap gap-2 text-sm noscript:flex">
			{values.picture && <input type="hidden" name="picture" value={values.picture} />}
			<label className="grid min-w-0 flex-1 gap-1">
				{values.picture ? 'Replace the picture' : 'Picture (JPG or PNG, up to 5 MB)'}
				<input className="input" type="file" name="picture_file" accept="image/jpeg,image/png" />
			</label>
			<label className="grid min-w-0 flex-1 gap-1">
				Description (optional)
				<input className="input" name="alt" maxLength={MAX_ALT_LENGTH} defaultValue={values.alt} />
			</label>
		</div>
	)
}

interface OutgoingPicturesProps {
	client: PictureClient | null
	pictures: readonly OutgoingPicture[]
}

/** The pictures of a message that is being sent, at their final size. */
export function OutgoingPictures({ client, pictures }: OutgoingPicturesProps) {
	if (pictures.length === 0) return null
	return (
		<span className="my-1 flex max-w-61 flex-wrap gap-1">
			{pictures.map((picture) => (
				<OutgoingOne key={picture.id} client={client} picture={picture} />
			))}
		</span>
	)
}

function OutgoingOne({ client, picture }: { client: PictureClient | null; picture: OutgoingPicture }) {
	const progress = useProgress(client, picture.id)
	const box = smallSizeOf(picture)
	return (
		<span className="relative">
			<LocalPicture
				client={client}
				picture={picture}
				size={box}
				alt={picture.alt || 'Picture'}
				className={`rounded-sm opacity-70 ${cropClass(box)}`}
			/>
			{progress && (
				<progress
					className="absolute inset-x-1 bottom-1 h-1 w-auto accent-ivy"
					max={1}
					value={progress.sent}
					aria-label="Uploading the picture"
				/>
			)}
		</span>
	)
}

interface LocalPictureProps {
	client: PictureClient | null
	picture: { id: string }
	/** The space reserved for it. */
	size: { width: number; height: number }
	alt: string
	className: string
}

/** A picture that is not uploaded yet. */
function LocalPicture({ client, picture: { id }, size: { width, height }, alt, className }: LocalPictureProps) {
	const url = useLocalPicture(client, id)
	return <img className={`bg-sunken ${className}`} src={url ?? undefined} width={width} height={height} alt={alt} />
}
