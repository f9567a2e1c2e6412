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

// A page has a hundred links. On the server, React Router's costs ten times as much as the anchor that it renders: it reads six
// contexts and prepares event handlers. An absolute path needs none of that there; the browser hydrates the anchor as React
// Router's own.

/** React Router's `Link`. */
export const Link: ComponentType<LinkProps & RefAttributes<HTMLAnchorElement>> = import.meta.env.SSR
	? ServerLink
	: RouterLink

/** React Router's `NavLink`. */
export const NavLink: ComponentType<NavLinkProps & RefAttributes<HTMLAnchorElement>> = import.meta.env.SSR
	? ServerNavLink
	: RouterNavLink

/** React Router's `Form`. */
export const Form: ComponentType<FormProps & RefAttributes<HTMLFormElement>> = import.meta.env.SSR
	? ServerForm
	: RouterForm

/** Renders exactly the markup of React Router's `Link`; relative addresses are left to it. */
function ServerLink(props: LinkProps) {
	const { to, discover = 'render', prefetch = 'none' } = props
	if (typeof to !== 'string' || !isResolved(to) || prefetch !== 'none' || props.mask) return <RouterLink {...props} />
	const { relative, reloadDocument, replace, mask, state, preventScrollReset, viewTransition, ...rest } = props
	const { to: _, discover: __, prefetch: ___, defaultShouldRevalidate, ...anchor } = rest
	return <a {...anchor} href={to} data-discover={discover === 'render' ? 'true' : undefined} />
}

/** Renders exactly the markup of React Router's `NavLink`, for a plain path and one class; other uses are left to it. */
function ServerNavLink(props: NavLinkProps) {
	const { to, end = false, className = '', caseSensitive, style, children, ...link } = props
	const { pathname } = useLocation()
	const isPlain = typeof to === 'string' && isResolved(to) && /^[\w./-]+$/.test(to) && typeof className === 'string'
	if (!isPlain || caseSensitive || style || typeof children === 'function') return <RouterNavLink {...props} />
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

/** Renders exactly the markup of React Router's `Form`; relative actions are left to it. */
function ServerForm(props: FormProps) {
	const { action, method = 'get', discover = 'render' } = props
	if (action === undefined || !isResolved(action)) return <RouterForm {...props} />
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

/** Whether React Router would leave an address unchanged: an absolute path without empty or dotted segments. */
function isResolved(address: string): boolean {
	return address.startsWith('/') && !/\\|\/[/.]|\?#|[?#]$/.test(address)
}
