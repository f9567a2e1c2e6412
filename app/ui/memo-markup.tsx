import { type ComponentType, createContext, type HTMLAttributes, use } from 'react'

/**
 * Renders a component by itself, or finds what it rendered for equal properties before.
 * @param times ISO 8601; when the component is rendered they are told as at the moment that the page is of
 * @returns its HTML; null when it cannot be rendered by itself
 */
export type RenderAlone = <Props extends object>(
	component: ComponentType<Props>,
	props: Props,
	times?: readonly string[],
) => string | null

/** Given by the server to the page that it renders; undefined in a browser, which renders in place. */
export const RenderAloneContext = createContext<RenderAlone | undefined>(undefined)

interface MemoMarkupProps<Props extends object>
	extends Pick<HTMLAttributes<HTMLElement>, 'className' | 'id' | 'aria-label' | 'aria-labelledby'> {
	/** The element around the component. */
	as: 'li' | 'nav' | 'aside' | 'details' | 'section' | 'article' | 'div' | 'fieldset' | 'footer'
	'data-marked'?: true | undefined
	/** Shows nothing but its properties: it reads no context, and neither `useId` nor a picture that is not lazy is in it. */
	of: ComponentType<Props>
	/** All that it shows, as JSON can write it. Pages with equal properties get the same HTML. */
	with: Props
	/** What its properties tell as {@link RelativeTime}, ISO 8601: its HTML changes with their words. */
	times?: readonly string[]
}

/**
 * A part that many pages show alike. The server keeps its HTML by its properties, so that members share what is the same for
 * them and a changed property is another HTML. The browser takes it over as the components that it was made of.
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
