import { ImagePlus, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { chatLimits } from '~/features/chat/chat.limits.ts'
import { useChatClient } from '~/features/chat/client/use-chat.ts'
import type { Attached } from '../client/attachments.ts'
import { useLocalPicture, useProgress } from '../client/use-pictures.ts'

interface AttachedListProps {
	/** Username of the peer. */
	peer: string
	pictures: readonly Attached[]
}

/** The pictures of the next message before it is sent: how far each is, what it shows, and the way to take it back out. */
export function AttachedList({ peer, pictures }: AttachedListProps) {
	if (pictures.length === 0) return null
	return (
		<ul className="mb-2 grid max-h-40 gap-2 overflow-y-auto p-0.5" aria-label="Pictures of this message">
			{pictures.map((picture) => (
				<AttachedItem key={picture.id} peer={peer} picture={picture} />
			))}
		</ul>
	)
}

function AttachedItem({ peer, picture }: { peer: string; picture: Attached }) {
	const client = useChatClient()
	const progress = useProgress(picture.id)
	const { id, name, alt } = picture
	return (
		<li className="flex items-center gap-2">
			<LocalPicture
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
					maxLength={chatLimits.altMax}
					value={alt}
					onChange={(event) => client?.attachments.describe(peer, id, event.currentTarget.value)}
					onKeyDown={(event) => {
						// The Enter that ends a composition belongs to the input method.
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
				<X className="icon icon-sm" aria-hidden="true" />
			</button>
		</li>
	)
}

/** Chooses pictures for the next message. Without scripts {@link file://./plain-picture.tsx} stands in its place. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
	const input = useRef<HTMLInputElement>(null)
	const take = () => {
		const field = input.current
		if (!field?.files?.length) return
		onFiles([...field.files])
		// The same file chosen again is a change again.
		field.value = ''
	}
	// A file that was chosen before the scripts were there told nobody.
	// biome-ignore lint/correctness/useExhaustiveDependencies: there is one such moment
	useEffect(take, [])
	return (
		<label
			className="icon-btn relative size-9 flex-none cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-ivy noscript:hidden"
			title="Add pictures"
		>
			<ImagePlus className="icon" aria-hidden="true" />
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
	/** What an earlier try sent, which was refused for another reason. */
	values: Record<string, string>
}

/** A picture for the next message, for browsers without scripts. */
export function PlainPicture({ values }: PlainPictureProps) {
	return (
		<div className="mt-2 hidden flex-wrap gap-2 text-sm noscript:flex">
			{values.picture && <input type="hidden" name="picture" value={values.picture} />}
			<label className="grid min-w-0 flex-1 gap-1">
				{values.picture ? 'Replace the picture' : 'Picture (JPG or PNG, up to 5 MB)'}
				<input className="input" type="file" name="picture_file" accept="image/jpeg,image/png" />
			</label>
			<label className="grid min-w-0 flex-1 gap-1">
				Description (optional)
				<input className="input" name="alt" maxLength={chatLimits.altMax} defaultValue={values.alt} />
			</label>
		</div>
	)
}

interface LocalPictureProps {
	picture: { id: string }
	/** The place it takes, which is kept from the start. */
	size: { width: number; height: number }
	alt: string
	className: string
}

/** A picture that lies on this device. */
export function LocalPicture({ picture: { id }, size: { width, height }, alt, className }: LocalPictureProps) {
	const url = useLocalPicture(id)
	return <img className={`bg-sunken ${className}`} src={url ?? undefined} width={width} height={height} alt={alt} />
}
