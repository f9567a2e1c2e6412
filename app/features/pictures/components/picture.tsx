import { pictureSrcSet, pictureUrl } from '~/lib/addresses.ts'
import { widthsOf } from '../pictures.view.ts'

interface PictureProps {
	picture: { path: string; width: number; height: number }
	/** What it shows; '' when the words beside it say so already. */
	alt: string
	/** How wide it is drawn, as `sizes` of HTML takes it. */
	sizes: string
	className?: string
}

/** A stored picture in the width that suits the screen. Its space is reserved from the start, so nothing moves when it comes. */
export function Picture({ picture: { path, width, height }, alt, sizes, className = '' }: PictureProps) {
	return (
		<img
			className={`bg-sunken ${className}`}
			src={pictureUrl(path, widthsOf(path)[1])}
			srcSet={pictureSrcSet(path, widthsOf(path))}
			sizes={sizes}
			width={width}
			height={height}
			alt={alt}
			loading="lazy"
			decoding="async"
		/>
	)
}

interface SmallPicturesProps {
	pictures: readonly { path: string; width: number; height: number; alt: string }[]
}

/** Pictures beside text: small, bounded in height, each in a space that is reserved from the start, and large when it is opened. */
export function SmallPictures({ pictures }: SmallPicturesProps) {
	if (pictures.length === 0) return null
	return (
		<span className="my-1 flex max-w-61 flex-wrap gap-1">
			{pictures.map(({ path, alt, ...size }) => {
				const shown = smallSizeOf(size)
				return (
					<a key={path} href={pictureUrl(path, 1280)} target="_blank" rel="noopener">
						<Picture
							picture={{ path, width: shown.width, height: shown.height }}
							alt={alt || 'Picture'}
							sizes={`${shown.width}px`}
							className={`rounded-sm ${cutOf(shown)}`}
						/>
					</a>
				)
			})}
		</span>
	)
}

/** The classes of a picture in this place. */
export function cutOf({ cut }: ReturnType<typeof smallSizeOf>): string {
	if (cut === null) return ''
	return cut === 'wide' ? 'h-12 object-cover' : 'w-12 h-60 object-cover'
}

/** Pixels that a picture takes at most beside text, in either direction; and at least, so that a finger finds it. */
const MAX_SIDE = 240
const MIN_SIDE = 48

/** The place of a picture that is shown small: in its own proportions, and cut where those are extreme. */
export function smallSizeOf({ width, height }: { width: number; height: number }): {
	width: number
	height: number
	/** Whether one side was cut. */
	cut: 'wide' | 'high' | null
} {
	const scale = Math.min(1, MAX_SIDE / width, MAX_SIDE / height)
	const [across, down] = [Math.round(width * scale), Math.round(height * scale)]
	const cut = down < MIN_SIDE ? 'wide' : across < MIN_SIDE ? 'high' : null
	return { width: Math.max(MIN_SIDE, across), height: Math.max(MIN_SIDE, down), cut }
}
