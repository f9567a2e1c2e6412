import { useRootData } from '~/lib/root-data.ts'
import { isModerator, type SignedIn } from '~/lib/viewer.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Link, NavLink } from '~/ui/link.tsx'
import { LogoutItem } from './logout.tsx'
import { closeOnLink } from './navigation.tsx'

export const sideMenuId = 'side-menu'

/** The navigation of small screens, a native popover. */
export function SideMenu() {
	const { viewer, isViewerUnknown } = useRootData()
	return (
		// biome-ignore lint/a11y: the handler only closes the menu behind its own links
		<div className="side-menu" id={sideMenuId} popover="auto" role="dialog" aria-label="Menu" onClick={closeOnLink}>
			<div className="flex h-14 flex-none items-center justify-between border-b border-line pr-2 pl-4">
				<Brand />
				<button
					type="button"
					className="icon-btn size-11"
					aria-label="Close menu"
					popoverTarget={sideMenuId}
					popoverTargetAction="hide"
					data-icon="close"
				/>
			</div>
			<nav className="flex-1 overflow-y-auto p-2" aria-label="Menu">
				<NavLink className="menu-item" to="/" end data-icon="house">
					Home
				</NavLink>
				<NavLink className="menu-item" to="/find-dev" data-icon="users">
					FindDev
				</NavLink>
				<NavLink className="menu-item" to="/forum" data-icon="messages">
					Forum
				</NavLink>
				<NavLink className="menu-item" to="/search" data-icon="search">
					Search
				</NavLink>
				{viewer && (
					<>
						<div className="menu-separator my-2" />
						<OwnItems viewer={viewer} Item={NavLink} />
						<LogoutItem />
					</>
				)}
			</nav>
			{viewer && <UserCard viewer={viewer} />}
			{!viewer && !isViewerUnknown && <LoginLinks />}
		</div>
	)
}

/** A member's own pages and those of their role, as items of either menu. @param Item the link of an item */
export function OwnItems({ viewer, Item }: { viewer: SignedIn; Item: typeof Link | typeof NavLink }) {
	return (
		<>
			<Item className="menu-item" to={`/my-profile/${viewer.username}`} data-icon="user">
				My Profile
			</Item>
			<Item className="menu-item" to={`/edit-profile/${viewer.username}`} data-icon="pen">
				Edit Profile
			</Item>
			<Item className="menu-item" to="/bookmarks" data-icon="bookmark">
				Bookmarks
			</Item>
			<Item className="menu-item" to="/following" data-icon="bell">
				Following
			</Item>
			<Item className="menu-item" to="/answer" data-icon="lightbulb">
				You can answer these
			</Item>
			<Item className="menu-item" to="/settings" data-icon="settings">
				Settings
			</Item>
			{isModerator(viewer) && (
				<Item className="menu-item" to="/moderation" data-icon="shield">
					Moderation <CaseCount />
				</Item>
			)}
			{viewer.role === 'admin' && (
				<Item className="menu-item" to="/admin" data-icon="gauge">
					Administration
				</Item>
			)}
		</>
	)
}

function UserCard({ viewer }: { viewer: SignedIn }) {
	return (
		<div className="flex items-center gap-3 border-t border-line p-4">
			<Avatar user={viewer} size={40} />
			<div className="min-w-0">
				<p className="truncate font-semibold">{viewer.name}</p>
				<p className="handle truncate">@{viewer.username}</p>
			</div>
		</div>
	)
}

function LoginLinks() {
	return (
		<div className="grid grid-cols-2 gap-2 border-t border-line p-4">
			<Link className="btn btn-outline h-11" to="/login">
				Login
			</Link>
			<Link className="btn btn-primary h-11" to="/register">
				Register
			</Link>
		</div>
	)
}

/** The number of open cases for a moderator, beside the link; nothing for none. */
function CaseCount() {
	const { openCases } = useRootData()
	return (
		openCases > 0 && (
			<span className="badge ml-auto">
				{openCases > 99 ? '99+' : openCases}
				<span className="sr-only"> open</span>
			</span>
		)
	)
}

/** The logo and the site's name, as a link to the front page. */
export function Brand() {
	const { siteName } = useRootData()
	return (
		<Link
			className="flex min-w-0 items-center md:max-w-48 md:flex-none lg:max-w-72 gap-2 text-[1.0625rem] leading-6 font-bold tracking-tight"
			to="/"
		>
			<svg className="mark" viewBox="0 0 20 20" aria-hidden="true">
				<path d="M17 9V3H3v14h7" fill="none" stroke="currentColor" strokeWidth="2" />
				<path className="fill-ivy" d="M13 12h5v6h-5z" />
			</svg>
			<span className="truncate">{siteName}</span>
		</Link>
	)
}
