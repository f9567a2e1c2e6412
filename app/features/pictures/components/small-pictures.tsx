import { pictureUrl } from '~/lib/picture-paths.ts'
import { Picture } from './picture.tsx'
import { boxOf } from './picture-box.ts'

interface SmallPicturesProps {
	pictures: readonly { path: string; width: number; height: number; alt: string }[]
}

/** Pictures beside text: small, bounded in height, each in a place that is kept from the start, and large when it is opened. */
export function SmallPictures({ pictures }: SmallPicturesProps) {
	if (pictures.length === 0) return null
	return (
		<span className="my-1 flex max-w-61 flex-wrap gap-1">
			{pictures.map(({ path, alt, ...size }) => {
				const box = boxOf(size)
				return (
					<a key={path} href={pictureUrl(path, 1280)} target="_blank" rel="noopener">
						<Picture
							picture={{ path, width: box.width, height: box.height }}
							alt={alt || 'Picture'}
							sizes={`${box.width}px`}
							className={`rounded-sm ${cutOf(box)}`}
						/>
					</a>
				)
			})}
		</span>
	)
}

/** The classes of a picture in this place. */
export function cutOf({ cut }: ReturnType<typeof boxOf>): string {
	if (cut === null) return ''
	return cut === 'wide' ? 'h-12 object-cover' : 'w-12 h-60 object-cover'
}
