import type { Target } from './writes.ts'

/** A page and the API operation with the same content: both must have the same permissions. */
export interface Reading {
	/** The operation's id. */
	operation: string
	api: string
	/** The page on the site. */
	page: string
	/** For public pages: what they contain only for permitted readers. */
	marked?: RegExp
}

/** Every reading operation, with its page. @param peer who has a conversation with the reader */
export function readings({ query, comment, url }: Target, peer: string): Reading[] {
	const talk = { api: `/me/conversations/${peer}`, page: `/messages/${peer}` }
	return [
		{ operation: 'listQueries', api: '/queries', page: '/forum' },
		{ operation: 'getQuery', api: `/queries/${query}`, page: url },
		{ operation: 'listComments', api: `/queries/${query}/comments`, page: url },
		{ operation: 'getComment', api: `/comments/${comment}`, page: `/forum/comment/${comment}` },
		{ operation: 'listQueryEdits', api: `/queries/${query}/edits`, page: `/forum/history/${query}` },
		{ operation: 'listCommentEdits', api: `/comments/${comment}/edits`, page: `/forum/history/comment/${comment}` },
		{ operation: 'listPeople', api: '/people', page: '/find-dev' },
		{ operation: 'search', api: '/search?q=hello', page: '/search?q=hello' },
		{ operation: 'listSkills', api: `/profiles/${peer}/skills`, page: `/find-dev/${peer}` },
		{ operation: 'listCategories', api: '/categories', page: '/forum' },
		{ operation: 'getCategory', api: '/categories/others', page: '/forum/category/others' },
		{ operation: 'listTags', api: '/tags', page: '/forum/tags' },
		{ operation: 'getTag', api: '/tags/testing', page: '/forum/tag/testing' },
		{ operation: 'listSynonyms', api: '/synonyms', page: '/forum/tags', marked: /id="synonyms"/ },
		{ operation: 'listDrafts', api: '/me/drafts', page: '/forum/drafts?key=ask', marked: /"title"/ },
		{ operation: 'getDraft', api: '/me/drafts/ask', page: '/forum/drafts?key=ask', marked: /"title"/ },
		{ operation: 'listBookmarks', api: '/me/bookmarks', page: '/bookmarks' },
		{ operation: 'listAnswerable', api: '/me/answerable', page: '/answer' },
		{ operation: 'listFollowed', api: '/me/following', page: '/settings' },
		{ operation: 'listFollowedQueries', api: '/me/following/queries', page: '/following' },
		{ operation: 'listSavedSearches', api: '/me/searches', page: '/following' },
		{ operation: 'listCases', api: '/moderation/cases', page: '/moderation' },
		{ operation: 'getCase', api: `/moderation/query/${query}`, page: `/moderation/query/${query}` },
		{ operation: 'listLog', api: '/moderation/log', page: '/moderation/log' },
		{ operation: 'listNotifications', api: '/me/notifications', page: '/notifications' },
		{ operation: 'listConversations', api: '/me/conversations', page: '/messages' },
		{ operation: 'searchMessages', api: '/me/messages?q=hello', page: '/messages?q=hello' },
		{ operation: 'getConversation', ...talk },
		{ operation: 'listMessages', api: `${talk.api}/messages`, page: talk.page },
		{ operation: 'listMessageChanges', api: `${talk.api}/changes?since=0`, page: talk.page },
		{ operation: 'listBlocked', api: '/me/blocks', page: '/settings' },
		{ operation: 'getMe', api: '/me', page: '/settings' },
	]
}

/** Reading operations without a page, with the reason. */
export const withoutPage: Record<string, string> = {
	getMessage: 'One message of a conversation; chat-permissions.db.test.ts asks for it as everybody.',
}
