import type { IconNode } from 'lucide'
import type { ComponentProps } from 'react'

interface IconProps extends Omit<ComponentProps<'svg'>, 'children' | 'dangerouslySetInnerHTML'> {
	/** The shapes: one of lucide's icons. */
	of: IconNode
}

/**
 * An icon of 16 px in the colour of the text; `icon-sm` and `icon-lg` are the other sizes. It is decoration unless it has an
 * `aria-label`. A page has dozens, so each is one element to React, and its markup is written once.
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

const markups = new WeakMap<IconNode, string>()

/** What stands inside the `svg` of an icon; lucide's attributes need no escaping. */
export function iconMarkup(icon: IconNode): string {
	let markup = markups.get(icon)
	if (markup === undefined) {
		markup = icon.map(([tag, attributes]) => `<${tag}${attributeText(attributes)}/>`).join('')
		markups.set(icon, markup)
	}
	return markup
}

function attributeText(attributes: IconNode[number][1]): string {
	return Object.entries(attributes)
		.map(([name, value]) => ` ${name}="${value}"`)
		.join('')
}
