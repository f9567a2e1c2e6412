import { type ComponentType, createContext, type HTMLAttributes, use } from 'react'

/**
 * Renders a component on its own, or returns the cached HTML for equal properties.
 * @param times ISO 8601; relative times refer to the page's moment
 * @returns its HTML; null when it cannot be rendered on its own
 */
export type RenderAlone = <Props extends object>(
	component: ComponentType<Props>,
	props: Props,
	times?: readonly string[],
) => string | null

/** Provided by the server; undefined in a browser, which renders in place. */
export const RenderAloneContext = createContext<RenderAlone | undefined>(undefined)

interface MemoMarkupProps<Props extends object>
	extends Pick<HTMLAttributes<HTMLElement>, 'className' | 'id' | 'aria-label' | 'aria-labelledby'> {
	/** The element around the component. */
	as: 'li' | 'nav' | 'aside' | 'details' | 'section' | 'article' | 'div' | 'fieldset' | 'footer'
	'data-marked'?: true | undefined
	/** A component that depends only on its properties: without contexts, `useId`, and pictures that are not lazy. */
	of: ComponentType<Props>
	/** Its properties, serializable as JSON. Pages with equal properties get the same HTML. */
	with: Props
	/** Times that it shows as `RelativeTime`, ISO 8601: its HTML changes with their text. */
	times?: readonly string[]
}

/**
 * A part that many pages share. The server caches its HTML by its properties, so that members share it, and changed properties give
 * other HTML. The browser hydrates the original components.
 */
export function MemoMarkup<Props extends object>(props: MemoMarkupProps<Props>) {
	const { as: Element, of: Component, with: given, times, ...attributes } = props
	const html = use(RenderAloneContext)?.(Component, given, times)
	if (html) return <Element {...attributes} dangerouslySetInnerHTML={{ __html: html }} />
	return (
		<Element {...attributes}>
			<Component {...given} />
		</Element>
	)
}
