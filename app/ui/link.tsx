import type { ComponentType, RefAttributes } from 'react'
import {
	type FormProps,
	type LinkProps,
	type NavLinkProps,
	Form as RouterForm,
	Link as RouterLink,
	NavLink as RouterNavLink,
	useLocation,
} from 'react-router'

// A page has a hundred links. On the server, React Router's costs ten times the anchor that it draws: it asks six contexts and
// prepares clicks. An absolute path needs none of that there; the browser takes the anchor over as React Router's own.
//
// React Router asks ahead for the routes of all links that it is not told to leave alone, which takes an attribute on each and an
// address of all their paths, though most lead to the same few routes. So here a link is left alone unless it says `discover="render"`:
// one of each kind does. `prefetch.ts` has the route of any other asked for when a pointer rests on it.

/** React Router's `Link`. Its route is not asked for ahead, unless it says `discover="render"`. */
export const Link: ComponentType<LinkProps & RefAttributes<HTMLAnchorElement>> = import.meta.env.SSR
	? ServerLink
	: BrowserLink

/** React Router's `NavLink`, as {@link Link}. */
export const NavLink: ComponentType<NavLinkProps & RefAttributes<HTMLAnchorElement>> = import.meta.env.SSR
	? ServerNavLink
	: BrowserNavLink

/** React Router's `Form`, as {@link Link}. */
export const Form: ComponentType<FormProps & RefAttributes<HTMLFormElement>> = import.meta.env.SSR
	? ServerForm
	: BrowserForm

function BrowserLink(props: LinkProps) {
	return <RouterLink discover="none" {...props} />
}

function BrowserNavLink(props: NavLinkProps) {
	return <RouterNavLink discover="none" {...props} />
}

function BrowserForm(props: FormProps) {
	return <RouterForm discover="none" {...props} />
}

/** Exactly the markup of React Router's `Link`; an address that has to be resolved is left to it. */
function ServerLink(props: LinkProps) {
	const { to, discover = 'none', prefetch = 'none' } = props
	if (typeof to !== 'string' || !isResolved(to) || prefetch !== 'none' || props.mask) return BrowserLink(props)
	const { relative, reloadDocument, replace, mask, state, preventScrollReset, viewTransition, ...rest } = props
	const { to: _, discover: __, prefetch: ___, defaultShouldRevalidate, ...anchor } = rest
	return <a {...anchor} href={to} data-discover={discover === 'render' ? 'true' : undefined} />
}

/** Exactly the markup of React Router's `NavLink`, for a plain path and one class; all else is left to it. */
function ServerNavLink(props: NavLinkProps) {
	const { to, end = false, className = '', caseSensitive, style, children, ...link } = props
	const { pathname } = useLocation()
	const isPlain = typeof to === 'string' && isResolved(to) && /^[\w./-]+$/.test(to) && typeof className === 'string'
	if (!isPlain || caseSensitive || style || typeof children === 'function') return BrowserNavLink(props)
	const [here, there] = [pathname.toLowerCase(), to.toLowerCase()]
	const isActive =
		here === there || (!end && there !== '/' && here.startsWith(there.endsWith('/') ? there : `${there}/`))
	return (
		<ServerLink
			{...link}
			to={to}
			className={isActive ? `${className} active`.trim() : className}
			aria-current={isActive ? (link['aria-current'] ?? 'page') : undefined}
		>
			{children}
		</ServerLink>
	)
}

/** Exactly the markup of React Router's `Form`; an action that has to be resolved is left to it. */
function ServerForm(props: FormProps) {
	const { action, method = 'get', discover = 'none' } = props
	if (action === undefined || !isResolved(action)) return BrowserForm(props)
	const { fetcherKey, navigate, reloadDocument, replace, state, relative, preventScrollReset, ...rest } = props
	const { discover: _, viewTransition, defaultShouldRevalidate, ...form } = rest
	return (
		<form
			{...form}
			method={method.toLowerCase() === 'get' ? 'get' : 'post'}
			data-discover={discover === 'render' ? 'true' : undefined}
		/>
	)
}

/** Whether React Router would leave it as it is: an absolute path without empty or dotted segments. */
function isResolved(address: string): boolean {
	return address.startsWith('/') && !/\\|\/[/.]|\?#|[?#]$/.test(address)
}
