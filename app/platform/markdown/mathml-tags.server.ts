import type { Attributes, IOptions } from 'sanitize-html'

/*
 * The MathML that the sanitizer allows: presentation elements that cannot overlap other content, and the TeX source. No colours,
 * which suit only one theme; no addresses, ids, styles, actions or foreign markup (annotation-xml). Only our renderer of formulas
 * writes these tags: typed by a member they are text, as every tag that rules.server.ts does not know.
 */

/** The maximum size of a space, a rule or a delimiter, in em. */
export const MAX_FORMULA_EM = 10

export const mathTags = [
	...['math', 'semantics', 'annotation', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'mfrac', 'msqrt', 'mroot'],
	...['msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts', 'mprescripts', 'none'],
	...['mtable', 'mtr', 'mtd', 'mpadded', 'mphantom', 'mstyle', 'menclose'],
]

const isOrNot = ['true', 'false']
const style = [
	{ name: 'displaystyle', values: isOrNot },
	{ name: 'scriptlevel', values: ['0', '1', '2', '+1', '+2'] },
]
const flags = ['fence', 'separator', 'stretchy', 'symmetric', 'largeop', 'movablelimits', 'accent']
const lengths = ['width', 'height', 'depth', 'lspace', 'rspace', 'minsize', 'maxsize', 'linethickness']

export const mathAttributes: NonNullable<Exclude<IOptions['allowedAttributes'], false>> = {
	math: [{ name: 'display', values: ['block'] }],
	annotation: [{ name: 'encoding', values: ['application/x-tex'] }],
	mi: [{ name: 'mathvariant', values: ['normal'] }],
	mo: [
		...flags.map((name) => ({ name, values: isOrNot })),
		{ name: 'form', values: ['prefix', 'infix', 'postfix'] },
		...['lspace', 'rspace', 'minsize', 'maxsize'],
	],
	mover: [{ name: 'accent', values: isOrNot }],
	munder: [{ name: 'accentunder', values: isOrNot }],
	munderover: ['accent', 'accentunder'].map((name) => ({ name, values: isOrNot })),
	mspace: ['width', 'height', 'depth'],
	mpadded: ['width', 'height', 'depth', 'lspace'],
	mfrac: ['linethickness'],
	mrow: style,
	mstyle: style,
	mtable: style.slice(0, 1),
	menclose: [
		{
			name: 'notation',
			multiple: true,
			values: ['top', 'bottom', 'box', 'updiagonalstrike', 'downdiagonalstrike', 'horizontalstrike'],
		},
	],
}

const cells = [
	'tml-left',
	'tml-right',
	'no-left',
	'no-right',
	'far-left',
	'line-top',
	'line-right',
	'line-bottom',
	'line-left',
]

export const mathClasses: Record<string, string[]> = {
	menclose: ['tml-overline', 'tml-underline', 'tml-fbox'],
	mo: ['tml-prime'],
	mrow: ['tml-fbox', 'tml-cancel', 'upstrike', 'downstrike', 'sout', 'tml-xcancel'],
	mtable: ['tml-jot', 'tml-small'],
	mtd: cells,
	mtext: ['tml-tag'],
}

/** The few styles that cells and boxes need, as classes: our content security policy forbids inline styles. */
const cellStyles: [RegExp, string][] = [
	[/\bpadding(-left)?:0(em)?;/, 'no-left'],
	[/\bpadding(-right)?:0(em)?;/, 'no-right'],
	[/\bpadding-left:1em;/, 'far-left'],
	...['top', 'right', 'bottom', 'left'].map((side): [RegExp, string] => [
		new RegExp(`\\bborder-${side}:`),
		`line-${side}`,
	]),
]

export const mathTransforms: NonNullable<IOptions['transformTags']> = {
	mtd: (tagName, attribs) => ({ tagName, attribs: withClasses(attribs, cellStyles) }),
	mrow: (tagName, attribs) => ({
		tagName,
		attribs: attribs.style ? withClasses(attribs, [[/\bborder:/, 'tml-fbox']]) : attribs,
	}),
	...Object.fromEntries(
		['mo', 'mspace', 'mpadded', 'mfrac'].map((tag) => [
			tag,
			(tagName: string, attribs: Attributes) => ({ tagName, attribs: withinBounds(attribs) }),
		]),
	),
}

function withClasses(attribs: Attributes, styles: [RegExp, string][]): Attributes {
	const added = styles.filter(([pattern]) => pattern.test(attribs.style ?? '')).map(([, name]) => name)
	const all = [attribs.class, ...added].filter(Boolean).join(' ')
	return all ? { ...attribs, class: all } : attribs
}

/** Removes lengths that are negative, in other units, or too large: they would overlap other content. */
function withinBounds(attribs: Attributes): Attributes {
	return Object.fromEntries(
		Object.entries(attribs).filter(([name, value]) => {
			if (!lengths.includes(name)) return true
			const [, number = '', unit] = /^(\d*\.?\d+)(em|ex|px|pt)?$/.exec(value) ?? []
			return number !== '' && Number(number) <= MAX_FORMULA_EM * (unit === 'px' || unit === 'pt' ? 16 : 1)
		}),
	)
}
