import { useSyncExternalStore } from 'react'
import { PORTRAIT_WIDTHS, pictureSrcSet, pictureUrl } from '~/lib/addresses.ts'
import { initials } from '~/lib/text.ts'
import { noSubscription } from '~/lib/use-hydrated.ts'
import { isBrokenPicture } from './broken-pictures.tsx'

interface AvatarProps {
	user: { username: string; name: string; image: string | null }
	size: 20 | 24 | 32 | 40 | 48 | 112
	/** Shows a presence dot; its text belongs beside the name (`Presence`). */
	online?: boolean | undefined
}

/**
 * A member's picture, or their initials on one of six backgrounds. Decorative, as the name is beside it. `broken-pictures.tsx`
 * hides a picture that fails; the style sheet then shows the initials.
 */
export function Avatar({ user, size, online }: AvatarProps) {
	const { image } = user
	const broken = useSyncExternalStore(
		noSubscription,
		() => image !== null && isBrokenPicture(image),
		() => false,
	)
	const letters = initials(user.name)
	const picture = image && !broken ? image : null
	return (
		<span
			className={`avatar avatar-${size}`}
			data-ground={avatarColour(user.username)}
			data-initials={picture ? letters : undefined}
			aria-hidden="true"
		>
			{picture ? (
				<img
					// A new element for another picture, as a failed one was hidden.
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

/** A number from 1 to 6 that is always the same for a username. */
export function avatarColour(username: string): number {
	let hash = 0
	for (const character of username) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
	return (hash % 6) + 1
}
