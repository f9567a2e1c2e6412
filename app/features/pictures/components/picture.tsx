import { pictureSrcSet, pictureUrl } from '~/lib/addresses.ts'
import { widthsOf } from '../pictures.view.ts'

interface PictureProps {
	picture: { path: string; width: number; height: number }
	/** '' if the text beside it says the same. */
	alt: string
	/** The `sizes` attribute. */
	sizes: string
	className?: string
}

/** A stored picture in the width that suits the screen. Its space is reserved to prevent layout shifts. */
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

/** Small pictures beside text, in reserved space, that open at full size. */
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
							className={`rounded-sm ${cropClass(shown)}`}
						/>
					</a>
				)
			})}
		</span>
	)
}

/** The class of a cropped picture. */
export function cropClass({ cut }: ReturnType<typeof smallSizeOf>): string {
	if (cut === null) return ''
	return cut === 'wide' ? 'h-12 object-cover' : 'w-12 h-60 object-cover'
}

/** The largest side of a picture beside text in pixels, and the smallest, as a touch target. */
const MAX_SIDE = 240
const MIN_SIDE = 48

/** The size of a small picture: its own proportions, cropped if they are extreme. */
export function smallSizeOf({ width, height }: { width: number; height: number }): {
	width: number
	height: number
	/** The side that was cropped. */
	cut: 'wide' | 'high' | null
} {
	const scale = Math.min(1, MAX_SIDE / width, MAX_SIDE / height)
	const [across, down] = [Math.round(width * scale), Math.round(height * scale)]
	const cut = down < MIN_SIDE ? 'wide' : across < MIN_SIDE ? 'high' : null
	return { width: Math.max(MIN_SIDE, across), height: Math.max(MIN_SIDE, down), cut }
}
