import { ImagePlus } from 'lucide-react'
import { useEffect, useRef } from 'react'

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
