import { pictureSrcSet, pictureUrl, widthsOf } from '~/lib/picture-paths.ts'

interface PictureProps {
	picture: { path: string; width: number; height: number }
	/** What it shows; '' when the words beside it say so already. */
	alt: string
	/** How wide it is drawn, as `sizes` of HTML takes it. */
	sizes: string
	className?: string
}

/** A stored picture in the width that suits the screen. Its place is kept from the start, so nothing moves when it comes. */
export function Picture({ picture: { path, width, height }, alt, sizes, className = '' }: PictureProps) {
	return (
		<img
			className={`bg-sunken ${className}`}
			src={pictureUrl(path, widthsOf(path)[1])}
			srcSet={pictureSrcSet(path)}
			sizes={sizes}
			width={width}
			height={height}
			alt={alt}
			loading="lazy"
			decoding="async"
		/>
	)
}
