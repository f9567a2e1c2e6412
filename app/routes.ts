import { index, layout, type RouteConfig, route } from '@react-router/dev/routes'

/** The site map: every address, in the order of the product, and the one file that answers it. */
export default [
	index('features/home/routes/home.tsx'),

	route('login', 'features/accounts/routes/login.tsx'),
	route('register', 'features/accounts/routes/register.tsx'),
	route('forgot-password', 'features/accounts/routes/forgot-password.tsx'),
	route('reset-password', 'features/accounts/routes/reset-password.tsx'),
	route('verify-email', 'features/accounts/routes/verify-email.tsx'),
	route('logout', 'features/accounts/routes/logout.ts'),
	route('theme', 'features/accounts/routes/theme.ts'),
	route('settings', 'features/accounts/routes/settings.tsx'),

	layout('features/directory/routes/find-dev.tsx', [
		route('find-dev', 'features/directory/routes/community.tsx'),
		route('find-dev/:username', 'features/profiles/routes/profile.tsx'),
	]),
	route('suggest/developers', 'features/directory/routes/suggest.ts'),
	route('suggest/known-skills', 'features/directory/routes/known-skills.ts'),
	route('find-dev/:username.json', 'features/profiles/routes/profile-json.ts'),
	route('find-dev/:username/card.png', 'features/profiles/routes/share-card.ts'),
	route('my-profile/:username', 'features/profiles/routes/my-profile.tsx'),
	route('edit-profile/:username', 'features/profiles/routes/edit-layout.tsx', [
		index('features/profiles/routes/edit-personal.tsx'),
		route('academics', 'features/profiles/routes/edit-academics.tsx'),
		route('social-links', 'features/profiles/routes/edit-social-links.tsx'),
		route('certificates', 'features/profiles/routes/edit-certificates.tsx'),
		route('projects', 'features/profiles/routes/edit-projects.tsx'),
		route('change-password', 'features/profiles/routes/edit-change-password.tsx'),
		route('import', 'features/profiles/routes/resume-import.tsx'),
	]),
	route('verify-campus', 'features/profiles/routes/verify-campus.ts'),
	route('confirm-campus', 'features/profiles/routes/confirm-campus.tsx'),
	route('suggest/skills', 'features/profiles/routes/suggest-skills.ts'),
	route('suggest/universities', 'features/profiles/routes/suggest-universities.ts'),
	route('media', 'features/profiles/routes/media-upload.ts'),
	route('media/*', 'features/profiles/routes/media.ts'),

	layout('features/forum/routes/forum-layout.tsx', [
		route('forum', 'features/forum/routes/recent.tsx'),
		route('forum/category/:slug', 'features/forum/routes/category.tsx'),
		route('forum/tag/:tag', 'features/forum/routes/tag.tsx'),
		route('forum/tags', 'features/forum/routes/tags.tsx'),
	]),
	route('forum/ask', 'features/forum/routes/ask.tsx'),
	route('forum/edit/:username/:id', 'features/forum/routes/edit.tsx'),
	route('forum/comment/:id', 'features/forum/routes/comment.ts'),
	route('forum/history/:id', 'features/forum/routes/history.tsx'),
	route('forum/history/comment/:id', 'features/forum/routes/comment-history.tsx'),
	route('forum/:category/:username/:id', 'features/forum/routes/query.tsx'),
	route('forum/feed.atom', 'features/forum/routes/feed.ts', { id: 'feed' }),
	route('forum/category/:slug/feed.atom', 'features/forum/routes/feed.ts', { id: 'category-feed' }),
	route('forum/tag/:tag/feed.atom', 'features/forum/routes/feed.ts', { id: 'tag-feed' }),

	route('sitemap.xml', 'features/forum/routes/sitemap.ts'),
	route('robots.txt', 'features/home/routes/robots.ts'),
	...(process.env.NODE_ENV === 'development' ? [route('previews', 'ui/previews.tsx')] : []),
	route('*', 'features/home/routes/not-found.tsx'),
] satisfies RouteConfig
