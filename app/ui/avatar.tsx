import { useEffect, useRef, useState } from 'react'
import { pictureSrcSet, pictureUrl } from '~/lib/picture-paths.ts'
import { initials } from '~/lib/text.ts'
import { isBroken, noteBroken } from './broken-pictures.ts'

interface AvatarProps {
	user: { username: string; name: string; image: string | null }
	size: 20 | 24 | 32 | 40 | 48 | 112
	/** Shows a presence dot; the words for it belong beside the name ({@link Presence}). */
	online?: boolean | undefined
}

/** A member's picture, or their initials on one of six grounds. Decorative: the name stands beside it. */
export function Avatar({ user, size, online }: AvatarProps) {
	const picture = useRef<HTMLImageElement>(null)
	const [broken, setBroken] = useState(false)
	const { image } = user

	useEffect(() => {
		const drawn = picture.current
		// A picture that failed before this script ran has told nobody.
		setBroken(image !== null && (isBroken(image) || (drawn?.complete === true && drawn.naturalWidth === 0)))
	}, [image])

	const fail = () => {
		if (image) noteBroken(image)
		setBroken(true)
	}

	return (
		<span className={`avatar avatar-${size}`} data-ground={groundOf(user.username)} aria-hidden="true">
			{image && !broken ? (
				<img
					ref={picture}
					src={pictureUrl(image, size > 48 ? 224 : 96)}
					srcSet={pictureSrcSet(image)}
					sizes={`${size}px`}
					alt=""
					width={size}
					height={size}
					loading="lazy"
					onError={fail}
				/>
			) : (
				initials(user.name)
			)}
			{online !== undefined && <span className="presence" data-online={online || undefined} />}
		</span>
	)
}

/** A number from 1 to 6 that stays the same for a username, for ever. */
export function groundOf(username: string): number {
	let hash = 0
	for (const character of username) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
	return (hash % 6) + 1
}
