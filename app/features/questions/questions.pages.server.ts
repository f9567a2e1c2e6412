import { type CachedPage, cachedPage } from '~/platform/cache/cached-page.ts'
import { LIST_PAGES } from '~/platform/cache/pages.server.ts'

/*
 * The pages of questions that visitors are answered from the cache with. What is dropped after a change is in writing/change.server.ts.
 */

/** The tag of the page of one question. */
export function questionTag(id: number): string {
	return `query:${id}`
}

const listParams = ['cursor', 'q', 'view'] as const

/** A page whose loader is `loadList`. */
export type ListRoute = CachedPage<(typeof listParams)[number]>

export const recentPage: ListRoute = cachedPage({
	path: '/forum',
	searchParams: listParams,
	tags: () => [LIST_PAGES],
})

export const categoryPage: ListRoute = cachedPage({
	path: '/forum/category/:slug',
	searchParams: listParams,
	tags: () => [LIST_PAGES],
})

export const tagPage: ListRoute = cachedPage({
	path: '/forum/tag/:tag',
	searchParams: listParams,
	memberSearchParams: ['describe'],
	tags: () => [LIST_PAGES],
})

export const questionPage = cachedPage({
	path: '/forum/:category/:username/:id',
	where: { category: /^(?!(?:category|tag|edit|history|comment)$)/, id: /^[1-9]\d{0,9}$/ },
	searchParams: ['cursor', 'merged', 'original', 'sort', 'thread'],
	memberSearchParams: ['delete', 'delete-comment', 'edit', 'reply'],
	tags: ({ id }) => [questionTag(Number(id))],
})

export const questionPages: readonly CachedPage[] = [recentPage, categoryPage, tagPage, questionPage]
