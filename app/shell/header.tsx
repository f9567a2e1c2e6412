import { Menu } from 'lucide-react'
import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react'
import { Link, NavLink, useMatches } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { AccountMenu } from './account-menu.tsx'
import { Brand } from './brand.tsx'
import { SideMenu, sideMenuId } from './side-menu.tsx'

/** The head of every page: brand, navigation, and the way to one's account. */
export function Header({ inbox }: { inbox: ReactNode }) {
	const { viewer, isViewerUnknown } = useRootData()
	const Search = useHeaderSearch()
	return (
		<header className="sticky top-0 z-(--z-header) border-b border-line bg-paper">
			<div className="mx-auto flex h-14 max-w-page items-center gap-3 px-4 sm:px-6 md:gap-4 lg:gap-8">
				<button
					type="button"
					className="icon-btn -ml-2 size-11 md:hidden"
					aria-label="Open menu"
					popoverTarget={sideMenuId}
				>
					<Menu className="icon icon-lg" aria-hidden="true" />
				</button>
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
				{Search && <Search />}
				<div className={`${Search ? '' : 'ml-auto '}flex flex-none items-center gap-2`}>
					{viewer && inbox}
					{viewer && <AccountMenu viewer={viewer} />}
					{!viewer && !isViewerUnknown && <WaysIn isTight={Search !== undefined} />}
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
 * Under the header while a page, or the answer to a form, is on its way: not every press has a button or a list that could say
 * so. It asks the router itself, as `useNavigation` tells of a navigation only once React has nothing more urgent to draw.
 */
function Progress() {
	const isShown = useSyncExternalStore(onNavigation, isNavigating, isNavigatingOnServer)
	return isShown && <div className="page-progress" role="progressbar" aria-label="Loading" />
}

/** The search that the pages of a part of the site bring along, as `HeaderSearch` of a route's handle; most bring none. */
function useHeaderSearch(): ComponentType | undefined {
	const handles = useMatches().map(({ handle }) => handle as { HeaderSearch?: ComponentType } | undefined)
	return handles.find((handle) => handle?.HeaderSearch)?.HeaderSearch
}

/** @param isTight on a phone there is room for one of the two; the side menu has both */
function WaysIn({ isTight }: { isTight: boolean }) {
	return (
		<>
			<Link className="btn btn-ghost px-3" to="/login">
				Login
			</Link>
			<Link className={`btn btn-outline${isTight ? ' max-sm:hidden' : ''}`} to="/register">
				Register
			</Link>
		</>
	)
}
