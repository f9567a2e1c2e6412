import { cutOf, smallSizeOf } from '~/features/pictures/components/picture.tsx'
import type { OutgoingPicture } from '../../client/outbox.ts'
import { useProgress } from '../client/use-pictures.ts'
import { LocalPicture } from './local-picture.tsx'

/** The pictures of a message that is on its way, in the places that they will have. */
export function OutgoingPictures({ pictures }: { pictures: readonly OutgoingPicture[] }) {
	if (pictures.length === 0) return null
	return (
		<span className="my-1 flex max-w-61 flex-wrap gap-1">
			{pictures.map((picture) => (
				<OutgoingOne key={picture.id} picture={picture} />
			))}
		</span>
	)
}

function OutgoingOne({ picture }: { picture: OutgoingPicture }) {
	const progress = useProgress(picture.id)
	const box = smallSizeOf(picture)
	return (
		<span className="relative">
			<LocalPicture
				picture={picture}
				size={box}
				alt={picture.alt || 'Picture'}
				className={`rounded-sm opacity-70 ${cutOf(box)}`}
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
