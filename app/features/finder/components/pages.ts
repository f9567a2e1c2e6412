import { isModerator, type Viewer } from '~/lib/viewer.ts'

/** A page of the site by its name. */
interface SitePage {
	title: string
	url: string
	/** Additional search words. */
	also?: string
}

/** The pages that this viewer may open by name, their own first. */
export function pagesOf(viewer: Viewer): SitePage[] {
	const own: SitePage[] = viewer
		? [
				{ title: 'My Profile', url: `/my-profile/${viewer.username}`, also: 'account' },
				{ title: 'Messages', url: '/messages', also: 'chats conversations inbox' },
				{ title: 'Notifications', url: '/notifications' },
				{ title: 'Bookmarks', url: '/bookmarks', also: 'saved' },
				{ title: 'You can answer these', url: '/answer', also: 'help queries unanswered' },
				{ title: 'Following', url: '/following', also: 'followed subscriptions' },
				{ title: 'Edit Profile', url: `/edit-profile/${viewer.username}`, also: 'skills picture city' },
				{
					title: 'Settings',
					url: '/settings',
					also: 'theme mails preferences password email username passkeys two-factor logins data delete account',
				},
				{ title: 'Access tokens', url: '/settings/tokens', also: 'api settings' },
				{ title: 'Activity', url: '/settings/activity', also: 'sessions devices security settings' },
			]
		: [
				{ title: 'Login', url: '/login', also: 'sign in' },
				{ title: 'Register', url: '/register', also: 'sign up join' },
			]
	const open: SitePage[] = [
		{ title: 'Home', url: '/' },
		{ title: 'Community', url: '/find-dev', also: 'people developers members' },
		{ title: 'Forum', url: '/forum', also: 'queries questions' },
		{ title: 'Ask a question', url: '/forum/ask', also: 'new query' },
		{ title: 'Tags', url: '/forum/tags', also: 'following' },
	]
	const staff: SitePage[] = isModerator(viewer)
		? [
				{ title: 'Moderation', url: '/moderation', also: 'queue reports cases' },
				{ title: 'Moderators and suspended members', url: '/moderation/members', also: 'moderation' },
				{ title: 'Spam', url: '/moderation/accounts', also: 'moderation takedown hide everything accounts' },
				{ title: 'Terms', url: '/moderation/terms', also: 'vocabulary moderation' },
				{ title: 'Searches without results', url: '/moderation/searches', also: 'moderation' },
				{ title: 'Routing', url: '/moderation/routing', also: 'moderation asked members' },
			]
		: []
	const admin: SitePage[] =
		viewer?.role === 'admin'
			? [
					{ title: 'Administration', url: '/admin', also: 'admin settings' },
					{ title: 'Categories', url: '/admin/categories', also: 'admin administration forum' },
					{ title: 'Members', url: '/admin/members', also: 'admin administration roles' },
					{ title: 'Invitations', url: '/admin/invitations', also: 'admin administration invite links lists' },
					{ title: 'People who have left', url: '/admin/leavers', also: 'admin administration leavers alumni' },
					{ title: 'Terms and privacy', url: '/admin/legal', also: 'admin administration legal imprint' },
					{ title: 'Settings of the site', url: '/admin/settings', also: 'admin administration' },
					{ title: 'Log', url: '/moderation/log', also: 'moderation admin administration actions' },
					{ title: 'Backups', url: '/admin/backups', also: 'admin administration archive restore' },
					{ title: 'Figures', url: '/admin/figures', also: 'admin administration statistics charts' },
					{ title: 'Reading and storage', url: '/admin/figures/usage', also: 'admin administration views disk space' },
				]
			: []
	return [...own, ...open, ...staff, ...admin]
}

const MAX_SHOWN = 4

/** The pages that have a word for each typed prefix. */
export function pagesLike(pages: SitePage[], typed: string): SitePage[] {
	const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
	const fits = ({ title, also = '' }: SitePage) => {
		const names = `${title} ${also}`.toLowerCase().split(' ')
		return words.every((word) => names.some((name) => name.startsWith(word)))
	}
	return pages.filter(fits).slice(0, MAX_SHOWN)
}
