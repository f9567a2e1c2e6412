import type { IconNode } from 'lucide'
import type { ComponentProps } from 'react'

interface IconProps extends Omit<ComponentProps<'svg'>, 'children' | 'dangerouslySetInnerHTML'> {
	/** The shapes of one of lucide's icons. */
	of: IconNode
}

/**
 * An icon of 16 px in the colour of the text; `icon-sm` and `icon-lg` are other sizes. Decorative unless it has an `aria-label`. A
 * page has dozens, so each is a single React element with cached markup.
 */
export function Icon({ of, className, ...svg }: IconProps) {
	return (
		<svg
			className={className ? `icon ${className}` : 'icon'}
			viewBox="0 0 24 24"
			aria-hidden={svg['aria-label'] === undefined || undefined}
			{...svg}
			dangerouslySetInnerHTML={{ __html: iconMarkup(of) }}
		/>
	)
}

/**
 * The content of an icon's `svg`; lucide's attributes need no escaping. A page has dozens of icons with up to nine shapes, which
 * the server combines into one each; the browser's own rendering needs no bytes. In development both do the same, as React compares
 * them.
 */
export const iconMarkup: (icon: IconNode) => string =
	import.meta.env.SSR || import.meta.env.DEV ? pathMarkup : shapeMarkup

function shapeMarkup(icon: IconNode): string {
	return icon
		.map(
			([tag, shape]) =>
				`<${tag} ${Object.keys(shape)
					.map((name) => `${name}="${shape[name]}"`)
					.join(' ')}/>`,
		)
		.join('')
}

const markups = new WeakMap<IconNode, string>()

function pathMarkup(icon: IconNode): string {
	let markup = markups.get(icon)
	if (markup === undefined) {
		markup = `<path d="${icon.map(([tag, shape]) => pathOf(tag, shape)).join('')}"/>`
		markups.set(icon, markup)
	}
	return markup
}

/**
 * A shape of lucide as path data, rendered the same with lucide's stroke.
 * @throws Error for a kind of shape that none of our icons has used so far
 */
function pathOf(tag: string, shape: IconNode[number][1]): string {
	const number = (name: string) => Number(shape[name] ?? 0)
	if (tag === 'path')
		return String(shape.d).replace(relativeStart, (_, x, y, next) => `M${x} ${y}${next && `l${next}`}`)
	if (tag === 'line') return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`
	if (tag === 'polyline') return `M${shape.points}`
	if (tag === 'polygon') return `M${shape.points}Z`
	if (tag === 'circle') return ellipse(number('cx'), number('cy'), number('r'), number('r'))
	if (tag === 'ellipse') return ellipse(number('cx'), number('cy'), number('rx'), number('ry'))
	if (tag === 'rect') return rectangle(shape)
	throw new Error(`No path for <${tag}>.`)
}

/** The relative start of a path: appended to another, it would move, so it is made absolute. */
const relativeStart = /^m(-?[\d.]+)[ ,]?(-?\d*\.?\d+)[ ,]?([-.\d]?)/

function ellipse(x: number, y: number, rx: number, ry: number): string {
	return `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0Z`
}

function rectangle(shape: IconNode[number][1]): string {
	const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(shape[name] ?? 0)) as Box
	// A single radius counts for both directions.
	const [rx, ry] = [Number(shape.rx ?? shape.ry ?? 0), Number(shape.ry ?? shape.rx ?? 0)]
	const corner = (dx: number, dy: number) => (rx > 0 ? `a${rx} ${ry} 0 0 1 ${dx} ${dy}` : '')
	return `M${x + rx} ${y}h${width - 2 * rx}${corner(rx, ry)}v${height - 2 * ry}${corner(-rx, ry)}h${2 * rx - width}${corner(-rx, -ry)}v${2 * ry - height}${corner(rx, -ry)}Z`
}

type Box = [x: number, y: number, width: number, height: number]
