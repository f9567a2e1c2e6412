import { clampChroma, converter, formatHex, wcagContrast } from 'culori'

/*
 * The accent of the site as tokens of both themes. An admin chooses one colour. Each theme keeps its hue and adjusts its lightness
 * until it is readable: WCAG 2.2 requires a contrast of 4.5:1 for text (1.4.3) and 3:1 for controls and the focus ring (1.4.11).
 */

/** The minimum contrast of text in the accent, and of text on the accent. */
export const MIN_CONTRAST = 4.5

/** Backgrounds on which text in the accent may stand, besides its own wash: paper, raised, sunken and hover of ui/tokens.css. */
export const accentBackgrounds = {
	light: ['#faf8f2', '#fffdf9', '#f2efe6', '#f1ede2'],
	dark: ['#161714', '#1d1f1b', '#10110f', '#292b25'],
} as const

export type Theme = keyof typeof accentBackgrounds

/** The tokens of one theme, each as `#rrggbb`. */
export interface AccentTokens {
	/** Fill of primary buttons, accent text, focus ring. */
	accent: string
	hover: string
	/** Text on `accent` and `hover`. */
	on: string
	/** Background of what is selected. */
	wash: string
	/** Border of a wash. */
	line: string
}

const toOklch = converter('oklch')

/** The minimum OKLCH lightness of the accent in the dark theme, unless the chosen colour is lighter. */
const MIN_DARK_LIGHTNESS = 0.74
/** A stronger colour would glare on a dark page. */
const MAX_DARK_CHROMA = 0.16
const STEP = 0.01

/** The tokens of both themes for one colour. @param chosen `#rrggbb` */
export function accentTokens(chosen: string): Record<Theme, AccentTokens> {
	const { l = 0, c = 0, h = 0 } = toOklch(chosen) ?? {}
	const tone = (lightness: number, chroma: number) =>
		formatHex(clampChroma({ mode: 'oklch', l: Math.min(1, Math.max(0, lightness)), c: chroma, h }, 'oklch'))
	const readable = (theme: Theme, start: number, chroma: number, wash: string) => {
		const step = theme === 'light' ? -STEP : STEP
		const holds = (lightness: number) =>
			[...accentBackgrounds[theme], wash].every(
				(ground) => wcagContrast(tone(lightness, chroma), ground) >= MIN_CONTRAST,
			)
		let lightness = start
		while (!holds(lightness)) lightness += step
		return lightness
	}
	const lightWash = tone(0.94, c * 0.18)
	const light = readable('light', l, c, lightWash)
	const darkWash = tone(0.275, c * 0.29)
	const darkChroma = Math.min(c, MAX_DARK_CHROMA)
	const dark = readable('dark', Math.max(l, MIN_DARK_LIGHTNESS), darkChroma, darkWash)
	return {
		light: {
			accent: tone(light, c),
			hover: tone(light > 0.3 ? light - 0.08 : light + 0.12, c * 0.8),
			on: '#fffdf9',
			wash: lightWash,
			line: tone(0.83, c * 0.42),
		},
		dark: {
			accent: tone(dark, darkChroma),
			hover: tone(dark < 0.92 ? dark + 0.06 : dark - 0.08, darkChroma * 0.85),
			on: tone(0.22, Math.min(c, 0.12) * 0.35),
			wash: darkWash,
			line: tone(0.42, c * 0.52),
		},
	}
}
