import { editParts, editProfilePath, importPath } from '~/features/members/members.view.ts'
import { isModerator, type Viewer } from '~/lib/viewer.ts'

/** A page of the site by its name. */
interface SitePage {
	title: string
	url: string
	/** Additional search words. */
	also?: string
	/** Only found by typing, as the list of all would be long. */
	isOnlyTyped?: true
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
				{ title: 'Following', url: '/following', also: 'followed subscriptions saved searches' },
				{ title: 'Edit Profile', url: editProfilePath(viewer.username), also: 'skills picture city personal details' },
				{ title: 'Settings', url: '/settings', also: 'theme dark mails preferences' },
				{ title: 'Access tokens', url: '/settings/tokens', also: 'api settings' },
				{ title: 'Recent activity', url: '/settings/activity', also: 'sessions devices security settings' },
				...partsOfProfile(viewer.username),
				...partsOfSettings,
			]
		: [
				{ title: 'Login', url: '/login', also: 'sign in' },
				{ title: 'Register', url: '/register', also: 'sign up join' },
				{ title: 'Forgot Password?', url: '/forgot-password', also: 'reset', isOnlyTyped: true },
			]
	const open: SitePage[] = [
		{ title: 'Home', url: '/' },
		{ title: 'Community', url: '/find-dev', also: 'people developers members' },
		{ title: 'Forum', url: '/forum', also: 'recent queries questions' },
		{ title: 'Ask a question', url: '/forum/ask', also: 'new query' },
		{ title: 'Tags', url: '/forum/tags', also: 'following' },
		{ title: 'How evidence is weighed', url: '/skills/evidence', isOnlyTyped: true },
		{ title: 'API', url: '/api/docs', also: 'documentation json', isOnlyTyped: true },
		{ title: 'Terms', url: '/terms', also: 'rules legal', isOnlyTyped: true },
		{ title: 'Privacy', url: '/privacy', also: 'data protection legal', isOnlyTyped: true },
		{ title: 'Imprint', url: '/imprint', also: 'contact legal', isOnlyTyped: true },
	]
	return [
		...own,
		...open,
		...(isModerator(viewer) ? pagesOfModerators : []),
		...(viewer?.role === 'admin' ? pagesOfAdmins : []),
	]
}

function partsOfProfile(username: string): SitePage[] {
	const sections = editParts.filter(({ part }) => part !== '')
	return [
		...sections.map(({ part, title }) => ({ title, url: editProfilePath(username, part), also: 'edit profile' })),
		{ title: 'Import a résumé', url: importPath(username), also: 'resume cv json edit profile' },
		{ title: 'Projects from GitHub', url: `${editProfilePath(username, 'projects')}/github`, also: 'edit profile' },
	].map((page) => ({ ...page, isOnlyTyped: true }))
}

const partsOfSettings: SitePage[] = [
	{ title: 'Two-factor login', url: '/settings/two-factor', also: '2fa factor authenticator security settings' },
	{ title: 'Passkeys', url: '/settings/passkeys', also: 'security login settings' },
	{ title: 'Ways to log in', url: '/settings/logins', also: 'link accounts password settings' },
	{ title: 'Email addresses', url: '/settings/email', also: 'change e-mail mails settings' },
	{ title: 'Username', url: '/settings/username', also: 'change rename settings' },
	{ title: 'My data', url: '/settings/data', also: 'download export archive settings' },
	{ title: 'Delete my account', url: '/settings/leave', also: 'leave settings' },
].map((page) => ({ ...page, isOnlyTyped: true }))

const pagesOfModerators: SitePage[] = [
	{ title: 'Moderation', url: '/moderation', also: 'queue reports cases' },
	{ title: 'Moderators and suspended members', url: '/moderation/members', also: 'moderation', isOnlyTyped: true },
	{
		title: 'Everything of several accounts',
		url: '/moderation/accounts',
		also: 'moderation hide spam takedown',
		isOnlyTyped: true,
	},
	{ title: 'Terms for skills and tags', url: '/moderation/terms', also: 'skills technologies tags moderation' },
	{ title: 'Searches without results', url: '/moderation/searches', also: 'moderation' },
	{ title: 'Routing', url: '/moderation/routing', also: 'moderation asked members' },
]

const pagesOfAdmins: SitePage[] = [
	{ title: 'Moderation log', url: '/moderation/log', also: 'audit history', isOnlyTyped: true },
	{ title: 'Administration', url: '/admin', also: 'admin settings' },
	{ title: 'Categories', url: '/admin/categories', also: 'admin administration forum' },
	{ title: 'Add a category', url: '/admin/categories/new', also: 'new administration', isOnlyTyped: true },
	{ title: 'Members', url: '/admin/members', also: 'admin administration roles' },
	{ title: 'Invitations', url: '/admin/invitations', also: 'invite links admin administration', isOnlyTyped: true },
	{ title: 'Invite a list of addresses', url: '/admin/invitations/list', also: 'administration', isOnlyTyped: true },
	{
		title: 'People who have left the university',
		url: '/admin/leavers',
		also: 'leavers alumni graduates administration',
		isOnlyTyped: true,
	},
	{
		title: 'Settings of the site',
		url: '/admin/settings',
		also: 'admin administration configuration',
		isOnlyTyped: true,
	},
	{ title: 'Terms and privacy', url: '/admin/legal', also: 'imprint legal administration', isOnlyTyped: true },
	{ title: 'Webhooks', url: '/admin/webhooks', also: 'integration administration', isOnlyTyped: true },
	{ title: 'Backups', url: '/admin/backups', also: 'admin administration archive restore' },
	{ title: 'Figures', url: '/admin/figures', also: 'admin administration statistics charts' },
	{ title: 'Reading and storage', url: '/admin/figures/usage', also: 'admin administration views disk space' },
]

const MAX_SHOWN = 4

/** The pages that have a word for each typed prefix, those with such titles first. */
export function pagesLike(pages: SitePage[], typed: string): SitePage[] {
	const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
	const fits = (text: string) => {
		const names = text.toLowerCase().split(' ')
		return words.every((word) => names.some((name) => name.startsWith(word)))
	}
	const found = pages.filter(({ title, also = '' }) => fits(`${title} ${also}`))
	return [...found.filter(({ title }) => fits(title)), ...found.filter(({ title }) => !fits(title))].slice(0, MAX_SHOWN)
}
