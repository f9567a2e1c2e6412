import { Image } from 'lucide'
import { useRef, useState } from 'react'
import { SmallPictures } from '~/features/pictures/components/picture.tsx'
import { pictureUrl } from '~/lib/addresses.ts'
import { pluralize } from '~/lib/text.ts'
import { Icon } from '~/ui/icon.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import type { ChatPicture } from '../chat-pictures.view.ts'

/** Pictures of a stranger, which are not loaded until the reader asks for them. Without scripts each is a link. */
export function WithheldPictures({ pictures }: { pictures: readonly ChatPicture[] }) {
	const [asked, setAsked] = useState(false)
	const shown = useRef<HTMLSpanElement>(null)
	useFocusFallback(asked, (is, was) => is && !was, shown)
	if (pictures.length === 0) return null
	if (asked)
		return (
			<span className="block" ref={shown} tabIndex={-1}>
				<SmallPictures pictures={pictures} />
			</span>
		)
	return (
		<span className="my-1 grid justify-items-start gap-1">
			{pictures.map(({ path, alt }, index) => (
				<a
					key={path}
					className="link inline-flex items-center gap-1.5 text-sm"
					href={pictureUrl(path, 1280)}
					target="_blank"
					rel="noopener"
					onClick={(event) => {
						event.preventDefault()
						setAsked(true)
					}}
				>
					<Icon of={Image} className="icon-sm flex-none" />
					<span className="wrap-anywhere">
						Show picture{pictures.length > 1 && ` ${index + 1} of ${pluralize(pictures.length, 'picture')}`}
						{alt && `: ${alt}`}
					</span>
				</a>
			))}
		</span>
	)
}
