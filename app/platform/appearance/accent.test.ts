import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { accentBackgrounds, accentTokens, MIN_CONTRAST, type Theme } from './accent.server.ts'

/** Relative luminance and contrast as WCAG 2.2 defines them, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio. */
function luminance(hex: string): number {
	const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
		const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
		return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
	})
	return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
function contrast(one: string, other: string): number {
	const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
	return (light + 0.05) / (dark + 0.05)
}

/** All hues at three lightnesses and two saturations, and the ends of each channel. */
function* colours(): Generator<string> {
	for (const ends of ['00', '80', 'ff'])
		for (const middle of ['00', '80', 'ff']) for (const last of ['00', '80', 'ff']) yield `#${ends}${middle}${last}`
	for (let hue = 0; hue < 360; hue += 5)
		for (const lightness of [0.15, 0.5, 0.9]) for (const saturation of [0.3, 1]) yield hsl(hue, saturation, lightness)
}
function hsl(hue: number, saturation: number, lightness: number): string {
	const reach = saturation * Math.min(lightness, 1 - lightness)
	const channel = (at: number) => {
		const k = (at + hue / 30) % 12
		const value = lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))
		return Math.round(255 * value)
			.toString(16)
			.padStart(2, '0')
	}
	return `#${channel(0)}${channel(8)}${channel(4)}`
}

test('with any accent, text in it and on it is readable in both themes', () => {
	const bad: string[] = []
	let looked = 0
	for (const chosen of colours()) {
		for (const [theme, { accent, hover, on, wash }] of Object.entries(accentTokens(chosen))) {
			const pairs = [...accentBackgrounds[theme as Theme], wash].map((ground) => [accent, ground] as const)
			for (const [text, ground] of [...pairs, [on, accent], [on, hover]] as const) {
				looked += 1
				if (contrast(text, ground) < MIN_CONTRAST) bad.push(`${chosen} ${theme}: ${text} on ${ground}`)
			}
			if (accent === hover) bad.push(`${chosen} ${theme}: ${accent} is the same when it is pointed at`)
		}
	}
	expect(bad).toEqual([])
	expect(looked).toBeGreaterThan(6_000)
})

test('a readable colour is used unchanged, and the project’s own yields about its own tokens', () => {
	expect(accentTokens('#1c6b4a').light.accent).toBe('#1c6b4a')
	expect(accentTokens('#003366').light.accent).toBe('#003366')
	expect(contrast(accentTokens('#1c6b4a').dark.accent, '#7cc9a0')).toBeLessThan(1.2)
})

test('the backgrounds are those of the design', () => {
	const tokens = readFileSync('app/ui/tokens.css', 'utf8')
	const found = ['paper', 'raised', 'sunken', 'hover'].map((name) =>
		new RegExp(`--color-${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(tokens)?.slice(1),
	)
	expect(found).toEqual(accentBackgrounds.light.map((light, index) => [light, accentBackgrounds.dark[index]]))
})
