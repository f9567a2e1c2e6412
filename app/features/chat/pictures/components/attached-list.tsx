import { X } from 'lucide-react'
import { limits } from '../../chat.limits.ts'
import { useChatClient } from '../../client/use-chat.ts'
import type { Attached } from '../client/attachments.ts'
import { useProgress } from '../client/use-pictures.ts'
import { LocalPicture } from './local-picture.tsx'

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
					maxLength={limits.altMax}
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
