import { useSyncExternalStore } from 'react'
import { PORTRAIT_WIDTHS, pictureSrcSet, pictureUrl } from '~/lib/addresses.ts'
import { initials } from '~/lib/text.ts'
import { never } from '~/lib/use-hydrated.ts'
import { isBroken } from './broken-pictures.tsx'

interface AvatarProps {
	user: { username: string; name: string; image: string | null }
	size: 20 | 24 | 32 | 40 | 48 | 112
	/** Shows a presence dot; the words for it belong beside the name ({@link Presence}). */
	online?: boolean | undefined
}

/**
 * A member's picture, or their initials on one of six grounds. Decorative: the name stands beside it. A picture that fails is
 * hidden by `broken-pictures.tsx`, and the initials that the style sheet reads here come in its place.
 */
export function Avatar({ user, size, online }: AvatarProps) {
	const { image } = user
	const broken = useSyncExternalStore(
		never,
		() => image !== null && isBroken(image),
		() => false,
	)
	const letters = initials(user.name)
	const picture = image && !broken ? image : null
	return (
		<span
			className={`avatar avatar-${size}`}
			data-ground={groundOf(user.username)}
			data-initials={picture ? letters : undefined}
			aria-hidden="true"
		>
			{picture ? (
				<img
					// What was hidden as one picture must not hide the next.
					key={picture}
					loading="lazy"
					src={pictureUrl(picture, size > 48 ? 224 : 96)}
					srcSet={pictureSrcSet(picture, PORTRAIT_WIDTHS)}
					sizes={`${size}px`}
					alt=""
					width={size}
					height={size}
					suppressHydrationWarning
				/>
			) : (
				letters
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
