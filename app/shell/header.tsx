import { ChevronDown } from 'lucide'
import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react'
import { useMatches } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link, NavLink } from '~/ui/link.tsx'
import { LogoutItem } from './logout.tsx'
import { closeOnLink } from './navigation.tsx'
import { Brand, OwnItems, SideMenu, sideMenuId } from './side-menu.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export interface HeaderProps {
	/** The control for a member's messages and notifications. */
	inbox: ReactNode
	/** The search of the site, unless a page provides its own. */
	Finder: ComponentType<{ children?: ReactNode }>
}

/** The header of every page: brand, navigation and account menu. */
export function Header({ inbox, Finder }: HeaderProps) {
	const { viewer, isViewerUnknown } = useRootData()
	const Search = useHeaderSearch()
	return (
		<header className="sticky top-0 z-(--z-header) border-b border-line bg-paper">
			<div className="mx-auto flex h-14 max-w-page items-center gap-3 px-4 max-[22rem]:gap-0 sm:px-6 md:gap-4 lg:gap-8">
				<button
					type="button"
					className="icon-btn -ml-2 size-11 md:hidden"
					aria-label="Open menu"
					popoverTarget={sideMenuId}
					data-icon="menu"
				/>
				<Brand />
				<nav className="hidden flex-none gap-4 self-stretch md:flex lg:gap-6" aria-label="Main">
					<NavLink className="nav-link" to="/" end>
						Home
					</NavLink>
					<NavLink className="nav-link" to="/find-dev">
						Community
					</NavLink>
					<NavLink className="nav-link" to="/forum">
						Forum
					</NavLink>
				</nav>
				<Finder>{Search && <Search />}</Finder>
				<div className={`flex flex-none items-center gap-2${viewer || Search ? '' : ' max-sm:ml-auto'}`}>
					{viewer && inbox}
					{viewer && <AccountMenu viewer={viewer} />}
					{!viewer && !isViewerUnknown && <LoginLinks isTight={Search !== undefined} />}
				</div>
			</div>
			<SideMenu />
			<Progress />
		</header>
	)
}

const onNavigation = (listener: () => void) => window.__reactRouterDataRouter.subscribe(listener)
const isNavigating = () => window.__reactRouterDataRouter.state.navigation.state !== 'idle'
const isNavigatingOnServer = () => false

/**
 * A progress bar below the header while a page or the response to a form is loading, as not every click has a button that could
 * show it. It reads the router's state directly, as `useNavigation` updates only when React has nothing more urgent to render.
 */
function Progress() {
	const isShown = useSyncExternalStore(onNavigation, isNavigating, isNavigatingOnServer)
	return isShown && <div className="page-progress" role="progressbar" aria-label="Loading" />
}

/** A page's own search, as `HeaderSearch` of its route's handle; most have none. */
function useHeaderSearch(): ComponentType | undefined {
	const handles = useMatches().map(({ handle }) => handle as { HeaderSearch?: ComponentType } | undefined)
	return handles.find((handle) => handle?.HeaderSearch)?.HeaderSearch
}

/** @param isTight on a phone only one of the two fits; the side menu has both */
function LoginLinks({ isTight }: { isTight: boolean }) {
	return (
		<>
			<Link className="btn btn-ghost px-3" to="/login">
				Login
			</Link>
			<Link className={`btn btn-outline${isTight ? ' max-sm:hidden' : ' max-[22rem]:hidden'}`} to="/register">
				Register
			</Link>
		</>
	)
}

const id = 'account-menu'

/** The member's picture, which opens the account menu. A native popover: it needs no script. */
function AccountMenu({ viewer }: { viewer: SignedIn }) {
	return (
		<>
			<button type="button" className="-mr-1 flex h-11 items-center gap-1.5 rounded-sm pr-1 pl-2" popoverTarget={id}>
				<Avatar user={viewer} size={32} />
				<span className="sr-only">{viewer.name}, account menu</span>
				<Icon of={ChevronDown} className="icon-sm hidden text-ink-3 sm:block" />
			</button>
			{/* biome-ignore lint/a11y: the handler only closes the menu behind its own links */}
			<div className="popup account-menu" id={id} popover="auto" onClick={closeOnLink}>
				<div className="flex items-center gap-3 px-4 py-3">
					<Avatar user={viewer} size={40} />
					<div className="min-w-0">
						<p className="truncate font-semibold">{viewer.name}</p>
						<p className="handle truncate">@{viewer.username}</p>
					</div>
				</div>
				<div className="menu border-t border-line">
					<OwnItems viewer={viewer} Item={Link} />
					<div className="menu-separator" />
					<div className="flex items-center justify-between px-2.5 py-1.5 text-sm text-ink-2">
						<span aria-hidden="true">Theme</span>
						<ThemeSwitch />
					</div>
					<div className="menu-separator" />
					<div data-install="menu-item" />
					<LogoutItem />
				</div>
			</div>
		</>
	)
}
