/** Pixels that a picture takes at most beside text, in either direction; and at least, so that a finger finds it. */
const most = 240
const least = 48

/** The place of a picture that is shown small: in its own proportions, and cut where those are extreme. */
export function boxOf({ width, height }: { width: number; height: number }): {
	width: number
	height: number
	/** Whether one side was cut. */
	cut: 'wide' | 'high' | null
} {
	const scale = Math.min(1, most / width, most / height)
	const [across, down] = [Math.round(width * scale), Math.round(height * scale)]
	const cut = down < least ? 'wide' : across < least ? 'high' : null
	return { width: Math.max(least, across), height: Math.max(least, down), cut }
}
