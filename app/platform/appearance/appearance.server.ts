import { createHash } from 'node:crypto'
import { wcagContrast } from 'culori'
import { pictureUrl } from '~/lib/addresses.ts'
import { Conflict } from '~/lib/errors.ts'
import { checkboxSetting, choiceSetting, colourSetting, pictureSetting, settingSection } from '../settings/setting.ts'
import { siteSettings } from '../settings/settings.server.ts'
import { accentBackgrounds, accentTokens, type Theme } from './accent.server.ts'
import { storeLogo } from './appearance.queries.server.ts'

/*
 * The logo and the accent of the site. Pages load both from one stylesheet, whose address changes with its content. A site that has
 * neither has no such stylesheet.
 */

/** The settings of how the site looks. */
export const appearanceSection = settingSection({
	name: 'appearance',
	title: 'Logo and colour',
	about: 'The logo beside the name of the site, and the colour of buttons and links.',
	loadsAnew: true,
	settings: {
		logo: pictureSetting({
			label: 'Logo',
			hint: 'JPG or PNG, up to 5 MB. Shown in the header 24 pixels high and up to 128 wide, in mails and in the icons of the installed site.',
		}),
		ground: choiceSetting({
			label: 'Background behind the logo',
			hint: 'For a transparent logo: keeps a dark logo visible on dark pages, or a light one on light pages.',
			default: 'none',
			choices: [
				{ value: 'none', label: 'None' },
				{ value: 'light', label: 'Light, in the dark theme' },
				{ value: 'dark', label: 'Dark, in the light theme' },
			],
		}),
		isAlone: checkboxSetting({
			label: 'The logo holds the name of the site',
			hint: 'If set, the name is not shown beside it. Screen readers still read it.',
		}),
		accent: colourSetting({
			label: 'Colour',
			hint: 'Such as #7b2d8b. If empty: the default green. Each theme adjusts its lightness so that text stays readable.',
			choices: [
				{ value: '', label: 'Ivy' },
				{ value: '#3e5f86', label: 'Slate' },
				{ value: '#9a4a37', label: 'Brick' },
				{ value: '#83601c', label: 'Ochre' },
				{ value: '#7b4762', label: 'Mulberry' },
				{ value: '#5d594e', label: 'Stone' },
			],
		}),
	},
	async guard({ logo }, trx) {
		const picture = logoOf(logo)
		if (picture && !(await storeLogo(trx, picture)))
			throw new Conflict('This logo is no longer stored. Choose the file again.')
	},
})

/** The logo that admins have chosen; null for DevQuad's own. */
export interface SiteLogo {
	path: string
	/** Pixels of the largest size. */
	width: number
	height: number
}

/** Parses the stored value of the logo setting. */
function logoOf(text: string): SiteLogo | null {
	const [path = '', size = ''] = text.split('#')
	const [width = 0, height = 0] = size.split('x').map(Number)
	return path ? { path, width, height } : null
}

/** CSS pixels at a font size of 16. */
const LOGO_HEIGHT = 24
const MAX_LOGO_WIDTH = 128

interface SiteStyle {
	css: string
	/** The address of the stylesheet, with a hash of its content. */
	href: string
	/** The same hash, for the addresses of icons. */
	version: string
}

interface Appearance {
	logo: SiteLogo | null
	ground: 'none' | 'light' | 'dark'
	/** As `#rrggbb`; DevQuad's own where none was chosen. */
	accents: Record<Theme, string>
	/** The text of buttons in that accent. */
	onAccents: Record<Theme, string>
	/** Null where neither a logo nor an accent is set. */
	style: SiteStyle | null
}

/** DevQuad's own accent: `--color-ivy` of ui/tokens.css. */
const ownAccents = { light: '#1c6b4a', dark: '#7cc9a0' }
/** `--color-on-ivy` of ui/tokens.css. */
const ownOnAccents = { light: '#fffdf9', dark: '#0c1f15' }

/** The colours of a button and a link in one theme. */
export interface AccentPreview {
	theme: Theme
	paper: string
	accent: string
	on: string
	/** Contrast of the link with the page, and of the button's text with the button. */
	contrasts: { link: number; button: number }
}

/** The colours of buttons and links with an accent. @param chosen `#rrggbb`, or an empty text for DevQuad's own */
export function previewAccent(chosen: string): AccentPreview[] {
	const tokens = accentTokens(chosen || ownAccents.light)
	return (['light', 'dark'] as const).map((theme) => {
		const { on } = tokens[theme]
		const accent = chosen ? tokens[theme].accent : ownAccents[theme]
		const [paper] = accentBackgrounds[theme]
		const contrasts = { link: wcagContrast(accent, paper), button: wcagContrast(accent, on) }
		return { theme, paper, accent, on, contrasts }
	})
}

/** Computed from the setting values, which are one object until they change. */
const known = new WeakMap<object, Appearance>()

/** How the site looks now. Reads memory only. */
export function siteAppearance(): Appearance {
	const values = siteSettings(appearanceSection)
	const before = known.get(values)
	if (before) return before
	const { ground, isAlone, accent } = values
	const logo = logoOf(values.logo)
	const tokens = accent ? accentTokens(accent) : null
	const css = (tokens ? accentCss(tokens) : '') + (logo ? logoCss(logo, ground, isAlone) : '')
	const appearance = {
		logo,
		ground,
		accents: tokens ? { light: tokens.light.accent, dark: tokens.dark.accent } : ownAccents,
		onAccents: tokens ? { light: tokens.light.on, dark: tokens.dark.on } : ownOnAccents,
		style: css ? styleOf(css) : null,
	}
	known.set(values, appearance)
	return appearance
}

function styleOf(css: string): SiteStyle {
	const version = createHash('sha256').update(css).digest('base64url').slice(0, 10)
	return { css, version, href: `/appearance.css?v=${version}` }
}

function accentCss({ light, dark }: ReturnType<typeof accentTokens>): string {
	const token = (name: string, of: keyof typeof light) => `--color-${name}:light-dark(${light[of]},${dark[of]})`
	const tokens = [
		token('ivy', 'accent'),
		token('ivy-hover', 'hover'),
		token('on-ivy', 'on'),
		token('ivy-wash', 'wash'),
		token('ivy-line', 'line'),
	]
	return `:root{${tokens.join(';')}}`
}

/** Reserves the space of the logo before it has loaded, so that nothing shifts. */
function logoCss({ path, width, height }: SiteLogo, ground: Appearance['ground'], isAlone: boolean): string {
	const shown = Math.min(MAX_LOGO_WIDTH, Math.max(4, Math.round((LOGO_HEIGHT * width) / height)))
	const url = pictureUrl(path, shown > 100 ? 640 : 320)
	const plate = { none: '', light: 'light-dark(transparent,#faf8f2)', dark: 'light-dark(#161714,transparent)' }[ground]
	const rules = [
		`box-sizing:content-box;width:${shown / 16}rem;max-width:${isAlone ? 36 : 20}vw;height:${LOGO_HEIGHT / 16}rem`,
		`background:url(${url}) center/contain content-box no-repeat`,
		...(plate ? [`background-color:${plate};background-clip:border-box;padding:.125rem .25rem;border-radius:2px`] : []),
	]
	const name = isAlone ? '.mark+span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}' : ''
	return `.mark{${rules.join(';')}}.mark>*{display:none}${name}`
}
