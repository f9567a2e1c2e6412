import { useRef } from 'react'
import { SearchForm } from '~/features/search/components/search-form.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import {
	redirectWithSuccess,
	redirectWithToast,
	requireLogin,
	safeRedirect,
	withHttpErrors,
} from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { type BookmarkKind, bookmarkKindOf, bookmarkTargetOf } from '../bookmarks.schema.ts'
import { listBookmarks, removeBookmark, restoreBookmark, saveBookmarkNote } from '../bookmarks.server.ts'
import { type BookmarkFilter, bookmarksPath } from '../bookmarks.view.ts'
import { BookmarkItem } from '../components/bookmark-item.tsx'
import type { Route } from './+types/bookmarks'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const filter: BookmarkFilter = {
			search: url.searchParams.get('q')?.trim() ?? '',
			kind: bookmarkKindOf(url.searchParams.get('kind')),
		}
		const cursor = url.searchParams.get('cursor') || null
		return { page: await listBookmarks(viewer, { ...filter, cursor }), filter, cursor }
	})
}

/** Writes a note (`intent=note`), removes a bookmark (`remove`) or restores it (`restore`). */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const back = safeRedirect(form.get('from'), '/bookmarks')
		const target = bookmarkTargetOf(form)
		return chooseIntent(form.get('intent'), {
			note: async () => {
				try {
					await saveBookmarkNote(viewer, target, { note: form.get('note') ?? '' })
					return redirectWithSuccess(back, 'Note saved.')
				} catch (error) {
					return refuseForm(error, form)
				}
			},
			remove: async () => {
				await removeBookmark(viewer, target)
				const fields = { intent: 'restore', kind: target.kind, id: String(target.id), from: back }
				return redirectWithToast(back, {
					type: 'success',
					message: 'Bookmark removed.',
					action: { label: 'Undo', to: '/bookmarks', fields },
				})
			},
			restore: async () => {
				await restoreBookmark(viewer, target)
				return redirectWithSuccess(back, 'The bookmark is restored.')
			},
		})
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Bookmarks', noindex: true })
}

export default function Bookmarks({ loaderData, actionData: refusal }: Route.ComponentProps) {
	const { page, filter, cursor } = loaderData
	const more = useMore(page, (next) => bookmarksPath(filter, next))
	const rows = withoutDuplicates(more.rows, ({ kind, id }) => `${kind}-${id}`)
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(rows.length, (count, before) => count < before, heading)
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 ref={heading} tabIndex={-1} className="text-2xl leading-9 font-bold">
				Bookmarks
			</h1>
			<p className="mt-1 text-ink-2">Only you see your bookmarks and notes.</p>
			<SearchForm
				pathname="/bookmarks"
				search={filter.search}
				params={{ kind: filter.kind }}
				label="Search titles and notes"
			/>
			<KindTabs filter={filter} />
			{rows.length === 0 ? (
				<Nothing filter={filter} isFirst={cursor === null} />
			) : (
				<ul>
					{rows.map((bookmark) => (
						<BookmarkItem
							key={`${bookmark.kind}-${bookmark.id}`}
							bookmark={bookmark}
							from={bookmarksPath(filter, cursor)}
							refusal={isOf(refusal, bookmark) ? refusal : undefined}
						/>
					))}
				</ul>
			)}
			<ListPages firstHref={cursor === null ? null : bookmarksPath(filter)} more={more} />
		</div>
	)
}

function isOf(
	refusal: { values: Record<string, string> } | undefined,
	{ kind, id }: { kind: string; id: number },
): boolean {
	return refusal?.values.kind === kind && refusal.values.id === String(id)
}

function Nothing({ filter, isFirst }: { filter: BookmarkFilter; isFirst: boolean }) {
	const all = (
		<Link className="btn btn-outline" to="/bookmarks">
			Show all bookmarks
		</Link>
	)
	if (!isFirst) return <EmptyState title="No more bookmarks." action={all} />
	if (filter.search)
		return (
			<EmptyState title="No bookmark found." action={all}>
				No title and no note has all words of “{filter.search}”.
			</EmptyState>
		)
	if (filter.kind)
		return (
			<EmptyState
				title={filter.kind === 'query' ? 'No query is bookmarked.' : 'No comment is bookmarked.'}
				action={all}
			/>
		)
	return (
		<EmptyState
			title="No bookmarks yet."
			action={
				<Link className="btn btn-outline" to="/forum">
					Go to the forum
				</Link>
			}
		>
			Press the bookmark button under a query or a comment, and it appears here.
		</EmptyState>
	)
}

const tabs: { kind: BookmarkKind | null; title: string }[] = [
	{ kind: null, title: 'All' },
	{ kind: 'query', title: 'Queries' },
	{ kind: 'comment', title: 'Comments' },
]

/** Tabs that filter by kind and keep the search. */
function KindTabs({ filter }: { filter: BookmarkFilter }) {
	return (
		<nav className="tabs mt-5" aria-label="Which bookmarks">
			{tabs.map(({ kind, title }) => (
				<Link
					key={title}
					className="tab h-9"
					to={bookmarksPath({ ...filter, kind })}
					aria-current={kind === filter.kind || undefined}
					data-active={kind === filter.kind || undefined}
				>
					{title}
				</Link>
			))}
		</nav>
	)
}
