import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import type { ListData } from '../list-page.server.ts'

interface EmptyListProps {
	/** The list's title: “Recent Queries”. */
	title: string
	data: ListData
	pathname: string
	category: string | undefined
}

/** What stands in a list that has nothing: which filter found nothing, and one button that undoes it. */
export function EmptyList({ title, data: { search, view, cursor }, pathname, category }: EmptyListProps) {
	const ask = withParams('/forum/ask', { category, title: search })
	if (cursor)
		return (
			<Nothing
				text="There is nothing more in this list."
				undo={
					<Undo to={withParams(pathname, { q: search, view: view === 'newest' ? null : view })}>
						Back to the first page
					</Undo>
				}
			/>
		)
	if (search)
		return (
			<Nothing
				text={`Nothing matches “${search}” in ${title}. Try fewer words, look in all categories, or be the first to ask.`}
				undo={<Undo to={pathname}>Clear search</Undo>}
				ask={<Ask to={ask}>Ask this</Ask>}
			/>
		)
	if (view === 'unanswered')
		return (
			<Nothing
				text={`Nobody waits for an answer in ${title}.`}
				undo={<Undo to={pathname}>Show all queries</Undo>}
				ask={<Ask to={ask} />}
			/>
		)
	if (view === 'solved')
		return (
			<Nothing
				text={`Nothing is solved in ${title} yet.`}
				undo={<Undo to={pathname}>Show all queries</Undo>}
				ask={<Ask to={ask} />}
			/>
		)
	if (pathname === '/forum')
		return <Nothing text="Nobody has asked anything yet. Be the first." undo={<Undo to={ask}>Ask a question</Undo>} />
	return (
		<Nothing
			text={`Nobody has asked anything in ${title} yet.`}
			undo={<Undo to="/forum">All queries</Undo>}
			ask={<Ask to={ask} />}
		/>
	)
}

function Nothing({ text, undo, ask }: { text: string; undo: ReactNode; ask?: ReactNode }) {
	return (
		<div className="border-b border-line py-16">
			<p className="text-2xl font-bold">No Query Found !</p>
			<p className="mt-2 max-w-[44ch] text-ink-2 wrap-anywhere">{text}</p>
			<p className="mt-5 flex gap-2">
				{undo}
				{ask}
			</p>
		</div>
	)
}

function Undo({ to, children }: { to: string; children: string }) {
	return (
		<Link className="btn btn-outline" to={to}>
			{children}
		</Link>
	)
}

function Ask({ to, children = 'Ask a question' }: { to: string; children?: string }) {
	return (
		<Link className="btn btn-ghost" to={to}>
			{children}
		</Link>
	)
}
